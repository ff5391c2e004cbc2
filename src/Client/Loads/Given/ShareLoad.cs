using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Loads.Given;

/// <summary><c>--load 50%</c>: every arm gets the same share of what the slowest arm can do.</summary>
/// <param name="Share">0.5 is half of it.</param>
internal sealed record ShareLoad(double Share) : GivenLoad
{
    public static LoadOption Asked { get; } = new("--load", "LIST",
        "afterwards load all transports with the same rate: percentages of the slowest one's capacity: 50%,90%",
        text => Parsers.List(text, "--load", Parsers.Percent).Select(share => new ShareLoad(share)));

    public override string Name => string.Create(CultureInfo.InvariantCulture, $"{Share * 100:0.##}%");

    public override string Option => Asked.Option;

    // A run that is resumed goes on with the rates it has.
    public override double? RateOf(RunRecord record, PlannedCell cell, int round) =>
        record.Rounds.FirstOrDefault(one => one.Cell == cell.Index)?.AskedRate
            ?? (Capacity(record, cell.Record.Key) is > 0 and var most ? Share * most : null);

    // The rounds that count in reports: of several attempts the last whole one.
    private static double Capacity(RunRecord record, CellKey key) =>
        new MeasuredRun(record).Cells.Where(cell => cell.Key.IsFullLoad && cell.Median is { Rate: > 0 })
            .Where(cell => (cell.Key.Size, cell.Key.Connections, cell.Key.Streams) == (key.Size, key.Connections, key.Streams))
            .Select(cell => cell.Median!.Rate).DefaultIfEmpty(0).Min();
}
