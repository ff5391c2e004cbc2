using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Loads.Given;

/// <summary><c>--load 50%</c>: gives every arm the same rate, a share of the slowest arm's capacity.</summary>
/// <param name="Share">The share. 0.5 is half of the capacity.</param>
internal sealed record ShareLoad(double Share) : GivenLoad
{
    public static LoadOption Asked { get; } = new("--load", "LIST",
        "afterwards one rate for all, e.g. 50%,90% of the slowest transport's rate",
        text => Parsers.List(text, "--load", Parsers.Percent).Select(share => new ShareLoad(share)));

    public override string Name => string.Create(CultureInfo.InvariantCulture, $"{Share * 100:0.##########}%");

    public override string Option => Asked.Option;

    // In a resumed run, cells that are compared with a cell that already has a rate keep this rate.
    public override double? RateOf(RunRecord record, PlannedCell cell, int round) =>
        record.Rounds.FirstOrDefault(one => Workload.From(record.Cells[one.Cell].Key) == Workload.From(cell.Record.Key))?.AskedRate
            ?? (Capacity(record, cell.Record.Key) is > 0 and var most ? Share * most : null);

    // The median rate of the slowest arm at full load. Of several attempts at a round, only the last complete attempt is used,
    // as in reports.
    private static double Capacity(RunRecord record, CellKey key) =>
        new MeasuredRun(record).Cells.Where(cell => cell.Key.IsFullLoad && cell.Median is { Rate: > 0 })
            .Where(cell => cell.Workload with { Load = key.Load } == Workload.From(key))
            .Select(cell => cell.Median!.Rate).DefaultIfEmpty(0).Min();
}
