namespace IpcBench.Server.BuiltIn;

/// <summary>The state of reading a request's body.</summary>
internal enum ReadState
{
    NeedsMore,
    Complete,
    Failed,
}
