namespace IpcBench.Schema;

/// <summary>Reports that the user's input is wrong: JSON, a corpus or a .proto. The message is one sentence.</summary>
public sealed class InputException(string message, Exception? inner = null) : Exception(message, inner);
