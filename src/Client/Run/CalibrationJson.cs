using System.Text.Json.Serialization;

namespace IpcBench.Client.Run;

/// <summary>The shape of the cache's file.</summary>
[JsonSourceGenerationOptions(WriteIndented = true)]
[JsonSerializable(typeof(IReadOnlyList<CalibrationCache.Entry>))]
internal sealed partial class CalibrationJson : JsonSerializerContext;
