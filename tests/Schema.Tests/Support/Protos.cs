using System.Reflection;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Tests.Rich;
using IpcBench.Schema.Tests.Rich.Proto2;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Tests.Support;

/// <summary>The tests' .proto files as descriptors that are built from bytes, without generated classes.</summary>
internal static class Protos
{
    public static readonly IReadOnlyList<FileDescriptorProto> Files =
        [ThreeReflection.Descriptor.ToProto(), TwoReflection.Descriptor.ToProto()];

    public static readonly MethodTypes Types = MethodTypes.From(Files, "rich.pb");

    /// <summary>The compiler of Grpc.Tools, null where the package has none for this machine.</summary>
    public static string? Compiler { get; } = typeof(Protos).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .FirstOrDefault(attribute => attribute.Key == "Protoc")?.Value is { } path && File.Exists(path) ? path : null;

    /// <summary>The folder of the tests' .proto files.</summary>
    public static string Folder { get; } = Path.Combine(AppContext.BaseDirectory, "protos");

    /// <summary>The folder of the well-known .proto files beside the compiler.</summary>
    public static string Includes { get; } = Compiler is null
        ? ""
        : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(Compiler)!, "..", "..", "build", "native", "include"));

    public static MessageDescriptor Message(string name) => Types.Message(name)!;

    public static byte[] Encode(string type, string json) => MessageJson.Encode(Message(type), json, Types);

    public static string Decode(string type, byte[] bytes) => MessageJson.Decode(Message(type), bytes, Types);
}
