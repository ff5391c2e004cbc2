namespace IpcBench.Client;

/// <summary>The exit codes of the process.</summary>
internal static class ExitCode
{
    public const int Ok = 0;

    /// <summary>The command line, or a file that it names, is wrong. The error message says what to correct.</summary>
    public const int Usage = 1;

    /// <summary>
    /// The machine or the server does not allow the run: a connect, listen or write failed, a transport is not supported,
    /// or no call succeeded.
    /// </summary>
    public const int Environment = 2;

    /// <summary>The run is complete, but some calls failed.</summary>
    public const int CallsFailed = 3;

    /// <summary>The gate failed: a limit was crossed, or, with <c>--strict</c>, it is undecided whether a limit was crossed.</summary>
    public const int Gate = 4;

    /// <summary>The user ended the run early (Ctrl-C, <c>q</c>, a signal). The measurements so far are kept.</summary>
    public const int Interrupted = 130;
}
