using Google.Protobuf.Reflection;
using IpcBench.Schema.Tests.Support;
using IpcBench.Schema.Text;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Tests;

public class DescriptionTests
{
    [Theory]
    [InlineData("rich/three.proto")]
    [InlineData("rich/two.proto")]
    [InlineData("edition.proto")]
    [InlineData("google/protobuf/struct.proto")]
    [InlineData("google/protobuf/type.proto")]
    public async Task A_described_file_compiles_to_the_same_descriptor(string name)
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        using var folder = new TempFolder();
        var original = await CompileAsync(Protos.Folder, name);
        foreach (var file in original.Protos.Keys)
            folder.Write(file, Description.File(original, file));
        var again = await CompileAsync(folder.Path, name);
        Assert.Equal(Bare(original.Protos[name]), Bare(again.Protos[name]));
    }

    [Fact]
    public void Control_characters_are_escaped() =>
        Assert.Equal("\"a\\033\\302\\233\\\"ü\"", ProtoText.Quoted("a\u001b\u009b\"ü"));

    [Fact]
    public void A_service_is_described_with_all_types_that_it_uses()
    {
        Assert.Equal("""
            // rich/three.proto
            syntax = "proto3";

            package rich;

            import "google/protobuf/any.proto";
            import "google/protobuf/duration.proto";
            import "google/protobuf/empty.proto";
            import "google/protobuf/field_mask.proto";
            import "google/protobuf/struct.proto";
            import "google/protobuf/timestamp.proto";
            import "google/protobuf/wrappers.proto";

            message Item {
              string name = 1;
              double price = 2;
              int32 count = 3;
            }

            message Order {
              string id = 1;
              repeated Item items = 2;
              map<string, int32> labels = 3;
              google.protobuf.Timestamp at = 4;
            }

            """.ReplaceLineEndings("\n"), Description.Of(Protos.Types, "rich.Order"));
        var shop = Description.Of(Protos.Types, "rich.Shop");
        Assert.Contains("  rpc Talk(stream Three.Inner) returns (stream Three.Inner);\n", shop, StringComparison.Ordinal);
        Assert.Contains("message Three {\n", shop, StringComparison.Ordinal);
        Assert.Contains("enum Aliased {\n  option allow_alias = true;\n", shop, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_hidden_by_a_nearer_name_is_written_with_its_full_name()
    {
        var text = Description.Of(Protos.Types, "rich.two.Two");
        Assert.Contains("  optional rich.Item item = 12;\n", text, StringComparison.Ordinal);
        Assert.Contains("    Item right = 15;\n", text, StringComparison.Ordinal);
        Assert.Contains("// rich/three.proto\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_error_of_an_unknown_name_suggests_similar_names()
    {
        var error = Assert.Throws<SchemaException>(() => Description.Of(Protos.Types, "rich.Ordr"));
        Assert.Equal("rich.pb has nothing called rich.Ordr: rich.Order", error.Message);
    }

    private static Task<MethodTypes> CompileAsync(string folder, string name)
    {
        var path = Path.Combine(folder, name);
        var file = File.Exists(path) ? path : Path.Combine(Protos.Includes, name);
        return Protoc.CompileAsync(file, [folder, Protos.Includes], Protos.Compiler!);
    }

    // Without what a description leaves out: options of other languages, reserved names.
    private static string Bare(FileDescriptorProto file)
    {
        var bare = file.Clone();
        if (bare.Options?.Features is { } features)
            bare.Options = new Google.Protobuf.Reflection.FileOptions { Features = features };
        else
            bare.Options = null;
        foreach (var method in bare.Service.SelectMany(service => service.Method))
            method.Options = null;
        return bare.ToString();
    }
}
