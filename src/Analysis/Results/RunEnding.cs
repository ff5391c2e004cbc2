namespace IpcBench.Analysis.Results;

/// <summary>The values of <see cref="RunRecord.Ending"/>.</summary>
public static class RunEnding
{
    /// <summary>The run goes on, or was killed.</summary>
    public const string Running = "running";

    /// <summary>Everything that was planned is measured.</summary>
    public const string Complete = "complete";

    /// <summary>Somebody ended the run early.</summary>
    public const string Interrupted = "interrupted";

    private const string Mark = "failed: ";

    /// <summary>Makes the ending of a run that failed.</summary>
    /// <param name="reason">The reason, as one sentence.</param>
    public static string Failed(string reason) => Mark + reason;

    /// <summary>Returns why the run failed. Null for another ending.</summary>
    public static string? Failure(string ending) => ending.StartsWith(Mark, StringComparison.Ordinal) ? ending[Mark.Length..] : null;
}
