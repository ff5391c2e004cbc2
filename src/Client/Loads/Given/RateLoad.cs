using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Loads.Given;

/// <summary><c>--my-rate 5k</c>: gives every arm the rate that the user named.</summary>
/// <param name="PerSecond">Calls per second over all connections.</param>
internal sealed record RateLoad(double PerSecond) : GivenLoad
{
    public static LoadOption Asked { get; } = new("--my-rate", "LIST",
        "afterwards load every transport at this rate in calls/s: 5k",
        text => Parsers.List(text, "--my-rate", Parsers.Rate).Select(rate => new RateLoad(rate)));

    public override string Name => string.Create(CultureInfo.InvariantCulture, $"{PerSecond:0.##########}/s");

    public override string Option => Asked.Option;

    public override double? RateOf(RunRecord record, PlannedCell cell, int round) =>
        record.Rounds.FirstOrDefault(one => one.Cell == cell.Index)?.AskedRate ?? PerSecond;
}
