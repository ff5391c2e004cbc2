using IpcBench.Analysis.Results;

namespace IpcBench.Client.Plan;

/// <summary>A load in an open loop. Cells with this load are measured in a phase of their own, after the first phase.</summary>
internal abstract record GivenLoad
{
    /// <summary>The name of the load, as in <see cref="CellKey.Load"/>.</summary>
    public abstract string Name { get; }

    /// <summary>The option that asks for this load.</summary>
    public abstract string Option { get; }

    /// <summary>The name of the phase in the printed plan. Loads of the same phase share their rounds.</summary>
    public virtual string Phase => "at given loads";

    /// <summary>True when each round of a cell has a rate of its own, and calls are sent at random times.</summary>
    public virtual bool VariesRate => false;

    /// <summary>The reason for which <see cref="RateOf"/> returns null, worded as the end of a sentence.</summary>
    public virtual string NoRate => "at full load no call was completed";

    /// <summary>Returns the calls per second of a cell in a round. Null when it is unknown: the run then leaves the cell out.</summary>
    /// <param name="round">The round's number, from 1.</param>
    public abstract double? RateOf(RunRecord record, PlannedCell cell, int round);

    /// <summary>Returns the number of rounds of the phase, including the rounds that a kept run already has.</summary>
    public virtual int Rounds(RunOptions options) => options.Rounds;

    /// <summary>Returns the reasons why the load does not fit other options, one sentence each.</summary>
    /// <param name="isCounted">True when the user gave a number of calls (<c>-n</c>).</param>
    public virtual IEnumerable<string> Refusals(RunOptions options, bool isCounted, string command) => [];

    /// <summary>Returns why calls of this mode cannot have this load. Null when they can.</summary>
    /// <param name="mode">The kind of the calls, one of <c>CallMode</c>.</param>
    /// <param name="method">The name of the method.</param>
    public virtual string? Refusal(string mode, string method) => null;
}
