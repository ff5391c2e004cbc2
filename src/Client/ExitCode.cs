namespace IpcBench.Client;

/// <summary>What the process tells the shell; the first that applies.</summary>
internal static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The command line is wrong; the message names the fix.</summary>
    public const int Usage = 1;

    /// <summary>
    /// This machine or the server cannot do it: cannot connect, listen, write; not on this system; not one call to a server succeeded.
    /// </summary>
    public const int Environment = 2;

    /// <summary>Measured, but some calls failed.</summary>
    public const int CallsFailed = 3;

    /// <summary>A regression gate was crossed.</summary>
    public const int Gate = 4;

    /// <summary>Ended early by Ctrl-C, <c>q</c> or SIGTERM; what was measured is kept.</summary>
    public const int Interrupted = 130;
}
