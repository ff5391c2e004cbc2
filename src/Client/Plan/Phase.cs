namespace IpcBench.Client.Plan;

/// <summary>Cells that are measured in the same rounds.</summary>
/// <param name="Name">The name of the phase in the printed plan. Empty for the first phase.</param>
/// <param name="Cells">The cells, at least one.</param>
/// <param name="Rounds">The number of rounds to measure, without the rounds of a kept run.</param>
/// <param name="MostRounds">The number of rounds including the rounds of a kept run.</param>
internal sealed record Phase(string Name, IReadOnlyList<PlannedCell> Cells, int Rounds, int MostRounds)
{
    /// <summary>True when each round of a cell has a rate of its own.</summary>
    public bool VariesRate => Cells[0].Given is { VariesRate: true };
}
