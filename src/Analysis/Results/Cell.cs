namespace IpcBench.Analysis.Results;

/// <summary>A cell of the plan: its key and the address where it ran.</summary>
public sealed record Cell
{
    public required CellKey Key { get; init; }

    /// <summary>The measured address in the form that reports print: <c>unix:/tmp/greeter.sock</c>.</summary>
    public required string Address { get; init; }

    /// <summary>
    /// A note for the reader about this transport on this machine, e.g. what <c>pipe:</c> is on Linux. Empty without a note.
    /// </summary>
    public string Note { get; init; } = "";
}
