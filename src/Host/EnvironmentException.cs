namespace IpcBench.Host;

/// <summary>
/// The error that the machine, the server or the disk makes the request impossible. The message is one sentence with
/// advice. The exit code is 2.
/// </summary>
public sealed class EnvironmentException(string message, Exception? inner = null) : Exception(message, inner);
