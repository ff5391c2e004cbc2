namespace IpcBench.Analysis.Results;

/// <summary>
/// The process whose CPU time, together with that of its descendants, counts as the server's CPU time. If no such process
/// was found, the reason.
/// </summary>
public sealed record ServerProcess
{
    /// <summary>The addresses of this run that the process serves.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    /// <summary>The process id. Null when no process was found, and <see cref="Reason"/> says why.</summary>
    public int? Pid { get; init; }

    /// <summary>The name of the program, without its path.</summary>
    public string Name { get; init; } = "";

    /// <summary>Why no server process was found, as a clause. Empty when a process was found.</summary>
    public string Reason { get; init; } = "";
}
