using Google.Protobuf.Reflection;
using IpcBench.Schema.Json;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Tests.Support;

/// <summary>Converts between message bytes and JSON, by descriptors alone.</summary>
internal static class MessageJson
{
    /// <summary>Encodes <paramref name="json"/> as message bytes, in the order and packing of Google.Protobuf.</summary>
    /// <exception cref="InputException">The JSON is not of this type. The message begins with the line and column.</exception>
    public static byte[] Encode(MessageDescriptor type, string json, MethodTypes types) =>
        WireWriter.Write(JsonReader.Read(type, new JsonSource(json), types));

    /// <summary>Returns the canonical JSON of a message in one line, without fields that the descriptor does not know.</summary>
    /// <exception cref="SchemaException">The bytes are not a message of this type.</exception>
    public static string Decode(MessageDescriptor type, byte[] bytes, MethodTypes types) =>
        new JsonWriter(types).Write(new WireReader(types).Read(type, bytes));
}
