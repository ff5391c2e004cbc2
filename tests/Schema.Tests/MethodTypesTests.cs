using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Tests.Support;
using IpcBench.Schema.Text;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Tests;

public class MethodTypesTests
{
    [Theory]
    [InlineData("rich.Shop/Buy")]
    [InlineData("/rich.Shop/Buy")]
    public void A_method_is_found_with_and_without_a_leading_slash(string name)
    {
        var method = Protos.Types.Method(name);
        Assert.Equal("rich.Shop.Buy", method.FullName);
        Assert.Equal("rich.Order", method.InputType.FullName);
    }

    // protobuf.js writes files without imports, and the reflection of grpc-js uses protobuf.js.
    [Fact]
    public void A_file_without_imports_gets_the_imports_of_its_types()
    {
        var item = new FileDescriptorProto { Name = "shop_v1.proto", Package = "shop.v1", Syntax = "proto3" };
        item.MessageType.Add(new DescriptorProto { Name = "Item", NestedType = { new DescriptorProto { Name = "Part" } } });
        var cart = new FileDescriptorProto { Name = "cart.proto", Package = "shop.cart", Syntax = "proto3" };
        var fields = new[] { "v1.Item.Part", ".shop.v1.Item", "google.protobuf.Timestamp" }.Select((type, i) => new FieldDescriptorProto
        {
            Name = $"f{i}",
            Number = i + 1,
            TypeName = type,
            Type = FieldDescriptorProto.Types.Type.Message,
            Label = FieldDescriptorProto.Types.Label.Optional,
        });
        cart.MessageType.Add(new DescriptorProto { Name = "Cart", Field = { fields } });
        var types = MethodTypes.From([cart, item], "cart.pb");
        Assert.Equal(
            ["shop.v1.Item.Part", "shop.v1.Item", "google.protobuf.Timestamp"],
            types.Message("shop.cart.Cart")!.Fields.InDeclarationOrder().Select(field => field.MessageType.FullName));
    }

    // protobuf.js keeps names as the .proto text has them, and writes the entry of a map as a nested message.
    [Fact]
    public void Relative_type_names_and_map_entries_of_protobuf_js_are_resolved()
    {
        static FieldDescriptorProto Field(string name, int number, FieldDescriptorProto.Types.Type type, string of = "")
        {
            var label = name == "tags" ? FieldDescriptorProto.Types.Label.Repeated : FieldDescriptorProto.Types.Label.Optional;
            var field = new FieldDescriptorProto { Name = name, Number = number, Type = type, Label = label };
            if (of.Length > 0)
                field.TypeName = of;
            return field;
        }
        var entry = new DescriptorProto { Name = "Tags", Options = new MessageOptions { MapEntry = true } };
        entry.Field.Add([
            Field("key", 1, FieldDescriptorProto.Types.Type.String), Field("value", 2, FieldDescriptorProto.Types.Type.Enum, "Kind")]);
        var item = new DescriptorProto { Name = "Item", NestedType = { entry } };
        item.Field.Add([
            Field("tags", 1, FieldDescriptorProto.Types.Type.Message, "Tags"),
            Field("kind", 2, FieldDescriptorProto.Types.Type.Enum, "Kind")]);
        var shop = new FileDescriptorProto { Name = "shop.proto", Package = "shop", Syntax = "proto3", MessageType = { item } };
        shop.EnumType.Add(new EnumDescriptorProto { Name = "Kind", Value = { new EnumValueDescriptorProto { Name = "NONE" } } });
        Assert.Contains(
            "message shop.Item {\n  map<string, shop.Kind> tags = 1;\n  shop.Kind kind = 2;\n}\n",
            Description.Make(MethodTypes.From([shop], "shop.pb"), "shop.Item"), StringComparison.Ordinal);
    }

    [Fact]
    public void Packages_whose_types_use_each_other_are_reported()
    {
        var shop = new FileDescriptorProto { Name = "shop.proto", Package = "shop", MessageType = { Message("Cart", ".user.Person") } };
        var user = new FileDescriptorProto { Name = "user.proto", Package = "user", MessageType = { Message("Person", ".shop.Cart") } };
        Assert.Equal("shop.pb has files that import each other (shop.proto, user.proto), which no .proto may do: give the types "
            + "with --proto, or with a --protoset that protoc wrote",
            Assert.Throws<InputException>(() => MethodTypes.From([shop, user], "shop.pb")).Message);
    }

    private static DescriptorProto Message(string name, params string[] types) => new()
    {
        Name = name,
        Field =
        {
            types.Select((type, i) => new FieldDescriptorProto
            {
                Name = $"f{i}",
                Number = i + 1,
                TypeName = type,
                Type = FieldDescriptorProto.Types.Type.Message,
                Label = FieldDescriptorProto.Types.Label.Optional,
            }),
        },
    };

    [Fact]
    public void Files_are_accepted_in_any_order_and_without_the_well_known_files()
    {
        var types = MethodTypes.From(Protos.Files.Reverse(), "rich.pb");
        Assert.Equal("rich.Order", types.Method("rich.Shop/Buy").InputType.FullName);
        Assert.NotNull(types.Message("google.protobuf.Timestamp"));
    }

    [Fact]
    public void A_file_with_a_descriptor_set_is_read()
    {
        using var folder = new TempFolder();
        var set = new FileDescriptorSet { File = { Protos.Files } };
        var path = folder.Write("rich.pb", set.ToByteArray());
        Assert.Equal(["rich.Shop"], Protoset.Read(path).Services.Select(service => service.FullName));
    }

    [Fact]
    public async Task Protoc_compiles_a_file_with_its_imports()
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        var file = Path.Combine(Protos.Folder, "rich", "two.proto");
        var types = await Protoc.CompileAsync(file, [Protos.Folder, Protos.Includes], Protos.Compiler);
        Assert.Equal("rich.Item", types.Message("rich.two.Two")!.FindFieldByName("item").MessageType.FullName);
    }

    [Fact]
    public async Task Protoc_of_Grpc_Tools_finds_the_files_of_Google_without_a_folder()
    {
        Assert.SkipWhen(Protoc.OfGrpcTools() is null, "Grpc.Tools is not in NuGet's folder");
        using var folder = new TempFolder();
        var file = folder.Write("event.proto", "syntax = \"proto3\"; package event; import \"google/protobuf/timestamp.proto\"; "
            + "message Event { google.protobuf.Timestamp at = 1; }");
        Assert.NotNull((await Protoc.CompileAsync(file, [])).Message("event.Event"));
    }

    [Fact]
    public async Task Protoc_finds_a_file_when_no_folder_is_named()
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        using var folder = new TempFolder();
        var file = folder.Write("hello.proto", "syntax = \"proto3\"; package hello; message Hello { string name = 1; }");
        Assert.NotNull((await Protoc.CompileAsync(file, [], Protos.Compiler)).Message("hello.Hello"));
    }

    [Fact]
    public async Task Protoc_finds_relative_files_and_folders()
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        using var folder = new TempFolder();
        var hello = folder.Write("hello.proto", "syntax = \"proto3\"; package hello; message Hello { string name = 1; }");
        var file = Path.GetRelativePath(Environment.CurrentDirectory, hello);
        Assert.NotNull((await Protoc.CompileAsync(file, [], Protos.Compiler!)).Message("hello.Hello"));
        var imports = Path.GetDirectoryName(file)!;
        Assert.NotNull((await Protoc.CompileAsync(hello, [imports], Protos.Compiler!)).Message("hello.Hello"));
    }

    [Fact]
    public async Task The_error_of_protoc_is_passed_on()
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        using var folder = new TempFolder();
        var file = folder.Write("broken.proto", "syntax = \"proto3\"; message Hello { strin name = 1; }");
        var error = await Assert.ThrowsAsync<InputException>(() => Protoc.CompileAsync(file, [], Protos.Compiler));
        Assert.Equal($"{Protos.Compiler} rejects {file}: {file}:1:36: \"strin\" is not defined.", error.Message);
    }

    // The bytes are those that protoc --encode=edition.Modern writes for the same message in text format.
    [Fact]
    public async Task Features_of_an_edition_2023_file_are_applied()
    {
        Assert.SkipWhen(Protos.Compiler is null, "Grpc.Tools has no protoc for this machine");
        var types = await Protoc.CompileAsync(Path.Combine(Protos.Folder, "edition.proto"), [], Protos.Compiler);
        var json = """
            {"implicit": 0, "explicit": 0, "needed": "x", "packed": [1, 2], "expanded": [1, 2], "plain": {"number": 0},
             "delimited": {"number": 1}, "parts": [{}], "byName": {"k": {"number": 2}}, "closed": "SECOND", "left": 0}
            """;
        var modern = types.Message("edition.Modern")!;
        var bytes = MessageJson.Encode(modern, json, types);
        Assert.Equal(
            "1000" + "1A0178" + "22020102" + "2801" + "2802" + "32020800" + "3B08013C" + "4344" + "4A070A016B12020802" + "5002" + "5800",
            Convert.ToHexString(bytes));
        var canonical = json.Replace("\"implicit\": 0, ", "").Replace("\n", "").Replace(" ", "");
        Assert.Equal(canonical, MessageJson.Decode(modern, bytes, types));
        var error = Assert.Throws<InputException>(() => MessageJson.Encode(modern, """{"needed":"","closed":3}""", types));
        Assert.Equal("line 1, column 23: the enum edition.Closed has no value 3: known values are 1, 2", error.Message);
    }

    // buf writes facts about each file (its module, unused imports) into field 8042, which only buf uses.
    [Fact]
    public void A_descriptor_set_of_the_tool_buf_with_additional_fields_is_read()
    {
        using var set = new MemoryStream();
        using (var output = new CodedOutputStream(set, leaveOpen: true))
        {
            foreach (var file in Protos.Files)
            {
                using var extended = new MemoryStream();
                file.WriteTo(extended);
                using (var more = new CodedOutputStream(extended, leaveOpen: true))
                {
                    more.WriteTag(8042, WireFormat.WireType.LengthDelimited);
                    more.WriteBytes(ByteString.CopyFrom(8, 1));
                }
                output.WriteTag(1, WireFormat.WireType.LengthDelimited);
                output.WriteBytes(ByteString.CopyFrom(extended.ToArray()));
            }
        }
        Assert.Equal("rich.Order", Protoset.Parse(set.ToArray(), "image.binpb").Method("rich.Shop/Buy").InputType.FullName);
    }

    // Any damaged set gives types or an error message.
    [Fact]
    public void A_damaged_set_is_rejected_or_read_and_never_crashes()
    {
        var set = new FileDescriptorSet { File = { Protos.Files } }.ToByteArray();
        var random = new Random(17);
        var refused = 0;
        for (var round = 0; round < 500; round++)
        {
            var damaged = set.ToArray();
            for (var left = random.Next(1, 6); left > 0; left--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            try
            {
                var types = Protoset.Parse(damaged, "damaged.pb");
                foreach (var message in types.Files.SelectMany(file => file.MessageTypes))
                    new WireReader(types).Read(message, []);
            }
            catch (InputException)
            {
                refused++;
            }
        }
        Assert.InRange(refused, 1, 499);
    }
}
