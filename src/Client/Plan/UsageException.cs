namespace IpcBench.Client.Plan;

/// <summary>The command line asks for something impossible. The message is one sentence that names the fix. Exit code 1.</summary>
internal sealed class UsageException(string message) : Exception(message);
