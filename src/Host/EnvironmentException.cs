namespace IpcBench.Host;

/// <summary>
/// Reports that the machine, the server or the disk makes the requested work impossible. The message is one sentence with
/// advice. The program ends with exit code 2.
/// </summary>
public sealed class EnvironmentException(string message, Exception? inner = null) : Exception(message, inner);
