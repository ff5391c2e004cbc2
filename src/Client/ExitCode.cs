namespace IpcBench.Client;

/// <summary>The exit codes of the process.</summary>
internal static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The command line is wrong. The message names the fix.</summary>
    public const int Usage = 1;

    /// <summary>
    /// This machine or the server makes the request impossible: a failed connect, listen or write, an unsupported
    /// transport, or no successful call at all.
    /// </summary>
    public const int Environment = 2;

    /// <summary>The run is complete, but some calls failed.</summary>
    public const int CallsFailed = 3;

    /// <summary>The gate failed: a limit was crossed, or is undecided with <c>--strict</c>.</summary>
    public const int Gate = 4;

    /// <summary>The user ended the run early (Ctrl-C, <c>q</c>, a signal). The measurements so far are kept.</summary>
    public const int Interrupted = 130;
}
