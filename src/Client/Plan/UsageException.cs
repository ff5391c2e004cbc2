namespace IpcBench.Client.Plan;

/// <summary>The command line asks for something that cannot be; the message is one sentence that names the fix. Exit code 1.</summary>
internal sealed class UsageException(string message) : Exception(message);
