namespace IpcBench.Server.BuiltIn;

/// <summary>What is known of a request's body.</summary>
internal enum ReadState
{
    NeedsMore,
    Complete,
    Failed,
}
