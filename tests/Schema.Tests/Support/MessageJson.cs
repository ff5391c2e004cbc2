using Google.Protobuf.Reflection;
using IpcBench.Schema.Json;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Tests.Support;

/// <summary>Message bytes and their JSON, by descriptors alone.</summary>
internal static class MessageJson
{
    /// <summary>The bytes of the message that <paramref name="json"/> says, in the order and packing of Google.Protobuf.</summary>
    /// <exception cref="InputException">The JSON is none of this type; the sentence begins with the line and column.</exception>
    public static byte[] Encode(MessageDescriptor type, string json, MethodTypes types) =>
        WireWriter.Write(JsonReader.Read(type, new JsonSource(json), types));

    /// <summary>The canonical JSON of a message, in one line. Fields that the descriptor does not know are left out.</summary>
    /// <exception cref="SchemaException">The bytes are no message of this type.</exception>
    public static string Decode(MessageDescriptor type, byte[] bytes, MethodTypes types) =>
        new JsonWriter(types).Write(new WireReader(types).Read(type, bytes));
}
