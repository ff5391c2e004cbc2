namespace IpcBench.Server.Tests.Support;

/// <summary>How long a test waits for what must happen: far beyond what it takes, on any machine.</summary>
internal static class Limits
{
    public static readonly TimeSpan Wait = TimeSpan.FromSeconds(30);
}
