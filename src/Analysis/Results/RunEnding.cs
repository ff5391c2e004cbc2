namespace IpcBench.Analysis.Results;

/// <summary>The values of <see cref="RunRecord.Ending"/>.</summary>
public static class RunEnding
{
    /// <summary>The run has not ended yet, or was killed.</summary>
    public const string Running = "running";

    /// <summary>All planned rounds are measured, or a rule ended the run early: the time limit, or <c>--rounds auto</c>.</summary>
    public const string Complete = "complete";

    /// <summary>The user ended the run early, for example with Ctrl-C.</summary>
    public const string Interrupted = "interrupted";

    private const string Mark = "failed: ";

    /// <summary>Makes the ending of a run that failed.</summary>
    /// <param name="reason">The reason, as one sentence.</param>
    public static string Failed(string reason) => Mark + reason;

    /// <summary>Returns why the run failed. Null when the ending is not a failure.</summary>
    public static string? Failure(string ending) => ending.StartsWith(Mark, StringComparison.Ordinal) ? ending[Mark.Length..] : null;
}
