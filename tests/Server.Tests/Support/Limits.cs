namespace IpcBench.Server.Tests.Support;

/// <summary>How long a test waits for an event: far longer than the event takes on any machine.</summary>
internal static class Limits
{
    public static readonly TimeSpan Wait = TimeSpan.FromSeconds(30);
}
