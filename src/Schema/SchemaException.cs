namespace IpcBench.Schema;

/// <summary>
/// Reports that the types of a method are not available, or that the server's answer does not fit these types. For example,
/// there is no reflection or no such method, or the reply has another type. The message is one sentence.
/// </summary>
public sealed class SchemaException(string message, Exception? inner = null) : Exception(message, inner);
