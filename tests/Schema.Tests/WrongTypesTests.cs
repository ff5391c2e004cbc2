using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Tests.Support;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Tests;

/// <summary>Checks the error messages of wrong descriptor sets, .proto files and names.</summary>
public class WrongTypesTests
{
    [Theory]
    [InlineData("rich.Shop", "'rich.Shop' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello")]
    [InlineData("rich.Shop/", "'rich.Shop/' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello")]
    [InlineData("rich.Shop/Buy/Now", "'rich.Shop/Buy/Now' is not a method: write package.Service/Method, as in "
        + "helloworld.Greeter/SayHello")]
    [InlineData("", "'' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello")]
    public void The_error_of_an_invalid_method_name_shows_an_example(string name, string sentence) =>
        Assert.Equal(sentence, Assert.Throws<InputException>(() => Protos.Types.Method(name)).Message);

    [Theory]
    [InlineData("rich.Shop/Bui", "rich.Shop has no method Bui: did you mean Buy?")]
    [InlineData("rich.Shop/buy", "rich.Shop has no method buy: did you mean Buy?")]
    [InlineData("rich.Shop/Steal", "rich.Shop has no method Steal: known names are Buy, Watch, Send, Talk")]
    [InlineData("rich.Shap/Buy", "rich.pb has no service rich.Shap: did you mean rich.Shop?")]
    [InlineData("Greeter/Buy", "rich.pb has no service Greeter: known names are rich.Shop")]
    public void The_error_of_an_unknown_method_lists_the_known_methods(string name, string sentence) =>
        Assert.Equal(sentence, Assert.Throws<SchemaException>(() => Protos.Types.Method(name)).Message);

    [Fact]
    public void The_error_of_a_missing_file_names_the_file_and_its_importer() =>
        Assert.Equal(
            "two.pb lacks rich/three.proto, which rich/two.proto imports: write the set with --include_imports",
            Error(Set(Protos.Files[1]), "two.pb"));

    [Fact]
    public void The_error_of_circular_imports_names_the_files()
    {
        var (a, b) = (File("a.proto"), File("b.proto"));
        a.Dependency.Add("b.proto");
        b.Dependency.Add("a.proto");
        Assert.Equal("odd.pb has files that import each other (a.proto, b.proto), which no .proto may do: "
                + "give the types with --proto, or with a --protoset that protoc wrote", Error(Set(a, b)));
    }

    [Fact]
    public void An_empty_set_is_rejected() => Assert.Equal("odd.pb holds no descriptors", Error([]));

    [Fact]
    public void The_error_of_a_file_that_is_no_descriptor_set_tells_how_to_make_one() => Assert.Equal(
        "odd.pb is not a FileDescriptorSet: make one with protoc --include_imports -o types.pb app.proto",
        Error("syntax = \"proto3\";"u8.ToArray()));

    [Fact]
    public void An_unknown_syntax_or_edition_is_rejected()
    {
        var four = File("four.proto");
        four.Syntax = "proto4";
        Assert.Equal("four.proto of odd.pb has the unknown syntax 'proto4': proto2, proto3 and editions are known", Error(Set(four)));
        four.Syntax = "editions";
        four.Edition = (Edition)99_997;
        Assert.StartsWith("the descriptors of odd.pb are inconsistent: ", Error(Set(four)), StringComparison.Ordinal);
    }

    [Fact]
    public void The_error_of_a_missing_type_names_the_type()
    {
        var file = File("odd.proto");
        var field = Field("f", FieldDescriptorProto.Types.Type.Message, ".none.N");
        file.MessageType.Add(new DescriptorProto { Name = "M", Field = { field } });
        Assert.Equal("the descriptors of odd.pb are inconsistent: M.f: \".none.N\" is not defined", Error(Set(file)));
    }

    [Fact]
    public void The_error_of_a_map_without_key_and_value_names_the_map()
    {
        var file = File("odd.proto");
        var map = Field("f", FieldDescriptorProto.Types.Type.Message, ".M.E");
        map.Label = FieldDescriptorProto.Types.Label.Repeated;
        var entry = new DescriptorProto { Name = "E", Options = new MessageOptions { MapEntry = true } };
        file.MessageType.Add(new DescriptorProto { Name = "M", Field = { map }, NestedType = { entry } });
        Assert.Equal("the descriptors of odd.pb are inconsistent: M.f is a map without key and value", Error(Set(file)));
    }

    [Fact]
    public void The_error_of_an_unreadable_protoset_names_the_file()
    {
        using var folder = new TempFolder();
        var missing = Path.Combine(folder.Path, "none.pb");
        Assert.Equal($"there is no file {missing}", Assert.Throws<InputException>(() => Protoset.Read(missing)).Message);
        Assert.Equal(
            $"{folder.Path} is a folder, not a file", Assert.Throws<InputException>(() => Protoset.Read(folder.Path)).Message);
    }

    [Fact]
    public void An_endless_protoset_is_rejected_at_the_size_limit()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices in folders are Unix's");
        Assert.Equal("/dev/zero has more than 268435456 bytes, too many for a protoset",
            Assert.Throws<InputException>(() => Protoset.Read("/dev/zero")).Message);
    }

    [Fact]
    public async Task Warnings_of_the_compiler_are_left_out_of_its_error()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "starts a shell");
        using var folder = new TempFolder();
        var file = folder.Write("hello.proto", "message M {}");
        var compiler = folder.Write("protoc", """
            #!/bin/sh
            echo "[libprotobuf WARNING google/protobuf/compiler/parser.cc:646] No syntax specified" >&2
            echo "hello.proto: warning: Import a.proto is unused." >&2
            echo "hello.proto:1:1: Expected \"{\"." >&2
            exit 1
            """);
        if (!OperatingSystem.IsWindows())
            System.IO.File.SetUnixFileMode(compiler, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        Assert.Equal($"{compiler} rejects {file}: hello.proto:1:1: Expected \"{{\".", await ErrorAsync(file, [], compiler));
    }

    [Fact]
    public async Task The_error_names_a_missing_compiler_or_file_or_folder()
    {
        using var folder = new TempFolder();
        var file = folder.Write("hello.proto", "syntax = \"proto3\";");
        Assert.Equal(
            "--proto needs no-such-protoc, which cannot be started: put no-such-protoc on the PATH, or use --protoset",
            await ErrorAsync(file, [], "no-such-protoc"));
        Assert.Equal("there is no file none.proto", await ErrorAsync("none.proto", [], "no-such-protoc"));
        Assert.Equal($"{folder.Path} is a folder, not a file", await ErrorAsync(folder.Path, [], "no-such-protoc"));
        Assert.Equal("-I none: this folder does not exist", await ErrorAsync(file, ["none"], "no-such-protoc"));
    }

    private static async Task<string> ErrorAsync(string file, string[] folders, string program) =>
        (await Assert.ThrowsAsync<InputException>(() => Protoc.CompileAsync(file, folders, program))).Message;

    private static string Error(byte[] set, string name = "odd.pb") =>
        Assert.Throws<InputException>(() => Protoset.Parse(set, name)).Message;

    private static byte[] Set(params FileDescriptorProto[] files) => new FileDescriptorSet { File = { files } }.ToByteArray();

    private static FileDescriptorProto File(string name) => new() { Name = name, Syntax = "proto3" };

    private static FieldDescriptorProto Field(string name, FieldDescriptorProto.Types.Type type, string typeName) =>
        new() { Name = name, Number = 1, Type = type, TypeName = typeName, Label = FieldDescriptorProto.Types.Label.Optional };
}
