using System.Text.Json.Serialization;

namespace IpcBench.Client.Protocols.JsonRpc;

[JsonSerializable(typeof(string))]
internal sealed partial class JsonNames : JsonSerializerContext;
