using IpcBench.Analysis.Results;

namespace IpcBench.Client.Plan;

/// <summary>A load in an open loop that cells are given in a phase of its own, after the first phase.</summary>
internal abstract record GivenLoad
{
    /// <summary>As <see cref="CellKey.Load"/> has it.</summary>
    public abstract string Name { get; }

    /// <summary>The option that asks for this load.</summary>
    public abstract string Option { get; }

    /// <summary>Loads of the same phase share their rounds; the words of the plan: <c>at given loads</c>.</summary>
    public virtual string Phase => "at given loads";

    /// <summary>Each round of a cell has a rate of its own, and calls come at random times.</summary>
    public virtual bool VariesRate => false;

    /// <summary>Why <see cref="RateOf"/> may know no rate, as the end of a sentence.</summary>
    public virtual string NoRate => "at full load no call was completed";

    /// <summary>Calls per second of a cell in a round; null: nobody can tell, and the cell is left out.</summary>
    /// <param name="round">The round's number, from 1.</param>
    public abstract double? RateOf(RunRecord record, PlannedCell cell, int round);

    /// <summary>Rounds of the phase, those of a kept run too.</summary>
    public virtual int Rounds(RunOptions options) => options.Rounds;

    /// <summary>What the load cannot be asked for with, a sentence each.</summary>
    /// <param name="isCounted">A number of calls was typed.</param>
    public virtual IEnumerable<string> Refusals(RunOptions options, bool isCounted, string command) => [];

    /// <summary>Why calls of a method's kind cannot have this load; null: they can.</summary>
    /// <param name="method">Its name.</param>
    public virtual string? Refusal(string mode, string method) => null;
}

/// <summary>An option that gives cells a load.</summary>
/// <param name="Option">As typed.</param>
/// <param name="Value">What the help calls its value.</param>
/// <param name="Help">One sentence for <c>--help</c>.</param>
/// <param name="Read">The loads that its value names.</param>
internal sealed record LoadOption(string Option, string Value, string Help, Func<string, IEnumerable<GivenLoad>> Read);

/// <summary>Cells that share their rounds.</summary>
/// <param name="Name">The words of the plan; empty for the first phase.</param>
/// <param name="Cells">At least one.</param>
/// <param name="Rounds">Those that are measured now.</param>
/// <param name="MostRounds">Those of a kept run too.</param>
internal sealed record Phase(string Name, IReadOnlyList<PlannedCell> Cells, int Rounds, int MostRounds)
{
    /// <summary>Each round has a rate of its own.</summary>
    public bool VariesRate => Cells[0].Given is { VariesRate: true };
}
