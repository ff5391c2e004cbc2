namespace IpcBench.Client.Machine;

/// <summary>The machine, the server or the disk does not let it happen; the message is one sentence with advice. Exit code 2.</summary>
internal sealed class EnvironmentException(string message, Exception? inner = null) : Exception(message, inner);
