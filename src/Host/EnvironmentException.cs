namespace IpcBench.Host;

/// <summary>
/// The machine, the server or the disk makes the request impossible; the message is one sentence with advice. Exit code 2.
/// </summary>
public sealed class EnvironmentException(string message, Exception? inner = null) : Exception(message, inner);
