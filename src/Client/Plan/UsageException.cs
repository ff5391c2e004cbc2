namespace IpcBench.Client.Plan;

/// <summary>The command line asks for something impossible. The message says in one sentence how to correct it. Exit code 1.</summary>
internal sealed class UsageException(string message) : Exception(message);
