namespace IpcBench.Schema;

/// <summary>The input of the user is wrong: JSON, a corpus or a .proto. The message is one sentence.</summary>
public sealed class InputException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>
/// The types of a method are not available, or the server's answer does not fit them: no reflection, no such method, a
/// reply of another type. The message is one sentence.
/// </summary>
public sealed class SchemaException(string message, Exception? inner = null) : Exception(message, inner);
