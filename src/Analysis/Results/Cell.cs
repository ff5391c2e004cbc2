namespace IpcBench.Analysis.Results;

/// <summary>One cell of the plan: what it is and where it ran.</summary>
public sealed record Cell
{
    public required CellKey Key { get; init; }

    /// <summary>The address measured, as printed: <c>unix:/tmp/greeter.sock</c>.</summary>
    public required string Address { get; init; }

    /// <summary>What a reader must know about this transport here, e.g. what <c>pipe:</c> is on Linux; empty otherwise.</summary>
    public string Note { get; init; } = "";
}
