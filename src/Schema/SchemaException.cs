namespace IpcBench.Schema;

/// <summary>What was typed, or stands in a file that was named, is wrong: JSON, a corpus, a .proto. The message is one sentence.</summary>
public sealed class InputException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>
/// The types of a method cannot be had, or a server does not answer in them: no reflection, no such method, a reply that is no message of
/// its type. The message is one sentence.
/// </summary>
public sealed class SchemaException(string message, Exception? inner = null) : Exception(message, inner);
