
namespace IpcBench.Schema.Json;

/// <summary>The messages that have their own form in JSON.</summary>
internal enum WellKnown { None, Timestamp, Duration, FieldMask, Struct, Value, ListValue, Any, Wrapper }
