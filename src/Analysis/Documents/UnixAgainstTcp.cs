using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The most frequent question in one table: a Unix socket compared with TCP by requests/s and by CPU per call, a row
/// per load. The other transports have a table of their own.
/// </summary>
public static class UnixAgainstTcp
{
    // A wider interval is shown with both bounds: "no difference larger than 40 %" would read like good news.
    private const double WidestOfNoDifference = 0.10;

    /// <summary>What the table compares and on which machine; empty when the run has no Unix socket or no TCP.</summary>
    public static string Title(MeasuredRun run)
    {
        if (!Rows(run).Any())
            return "";
        var host = run.Record.Host;
        string[] where =
        [
            host.LogicalCpus > 0 ? Quantity.Many(host.LogicalCpus, "CPU") : "",
            host.Virtualization.Length > 0 ? "virtual machine" : "",
            run.Record.Options.FreshServers ? "" : "one start of the server",
        ];
        var what = string.Join(", ", where.Where(part => part.Length > 0));
        return "Unix socket against TCP" + (what.Length > 0 ? $" ({what})" : "");
    }

    /// <summary>The title of <see cref="Others"/>.</summary>
    public const string OthersTitle = "Other transports against TCP";

    /// <summary>A row for each load.</summary>
    public static TextTable Table(MeasuredRun run) => TableOf(run, Rows(run), named: false);

    /// <summary>The table of TLS and pipes, which answers another question; no rows without them.</summary>
    public static TextTable Others(MeasuredRun run) => TableOf(run, run.Cells.Where(cell => IsCompared(run, cell)
        && cell.Key.Transport is not ("unix" or "tcp") && run.ReferenceOf(cell)!.Key.Transport == "tcp"), named: true);

    /// <summary>Whether a change is worth it; empty without a table.</summary>
    public static string Worth(MeasuredRun run)
    {
        var rows = Rows(run).ToList();
        if (rows.Count == 0)
            return "";
        var verdicts = rows.ConvertAll(cell => (Cell: cell, Rate: ArmComparison.OfHeadline(run, cell)!, Cpu: CostOf(run, cell)));
        var faster = verdicts.FindAll(row => Matters(row.Rate) && row.Rate.IsBetter);
        var slower = verdicts.FindAll(row => Matters(row.Rate) && row.Rate.IsWorse);
        var open = verdicts.FindAll(row => !Matters(row.Rate));
        var cheaper = open.FindAll(row => row.Cpu is { IsBetter: true } cpu && Matters(cpu));
        var alike = open.FindAll(row => LargestOf(row.Rate) <= WidestOfNoDifference);
        string Names(IEnumerable<(MeasuredCell Cell, ArmComparison Rate, ArmComparison? Cpu)> list) =>
            And([.. list.GroupBy(row => Shape(row.Cell)).Select(shape =>
                $"{shape.Key} with {And([.. shape.Select(row => row.Cell.Key.Work)])}")]);
        string[] parts =
        [
            faster.Count > 0 ? $"a Unix socket is faster for {Names(faster)}{Answers.Reserve(run, faster.Select(row => row.Rate))}" : "",
            slower.Count > 0 ? $"TCP is faster for {Names(slower)}{Answers.Reserve(run, slower.Select(row => row.Rate))}" : "",
            cheaper.Count > 0 ? $"a Unix socket saves CPU for {Names(cheaper)}" : "",
            alike.Count > 0
                ? $"no difference > {VerdictText.RoundedUp(alike.Max(row => LargestOf(row.Rate)))} for {Names(alike)}" : "",
        ];
        var said = string.Join("; ", parts.Where(part => part.Length > 0));
        var undecided = open.Count - alike.Count;
        return said.Length == 0 ? "Worth it? No difference was decided for any of these loads."
            : $"Worth it? {char.ToUpperInvariant(said[0])}{said[1..]}{(undecided == 0 ? "."
                : faster.Count + slower.Count == 0 ? $"; requests/s are not decided for {Quantity.Many(undecided, "load")}."
                : $"; not decided for {Quantity.Many(undecided, "other load")}.")}";
    }

    /// <summary>Whether a load is undecided, so that more rounds would help.</summary>
    public static bool IsOpen(MeasuredRun run) => Rows(run).Any(cell =>
        ArmComparison.OfHeadline(run, cell)!.Verdict.Kind == VerdictKind.CannotTell);

    private static IEnumerable<MeasuredCell> Rows(MeasuredRun run) => run.Cells.Where(cell => IsCompared(run, cell)
        && cell.Key.Transport == "unix" && ClaimFamily.IsPrimary(cell.Key, run.ReferenceOf(cell)!.Key));

    // At a given load the result is the latency, which has a table of its own.
    private static bool IsCompared(MeasuredRun run, MeasuredCell cell) => cell.Median is not null && !AaTest.IsAa(cell.Key)
        && cell.Key is { Load: "max", Protocol: not "echo" } && !cell.IsUntimed && !Answers.IsOfLayers(run)
        && run.ReferenceOf(cell) is { Median: not null }
        && ArmComparison.OfHeadline(run, cell) is not null;

    private static TextTable TableOf(MeasuredRun run, IEnumerable<MeasuredCell> cells, bool named)
    {
        var table = new TextTable("load", "requests/s", "CPU a call") { Words = 3 };
        foreach (var cell in cells)
        {
            var load = Load(cell);
            table.Add(named ? $"{cell.Key.Transport}: {load}" : load,
                Text(ArmComparison.OfHeadline(run, cell)), Text(CostOf(run, cell)));
        }
        return table;
    }

    private static ArmComparison? CostOf(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? ArmComparison.Of(run, cell, reference, ArmComparison.Cost(cell, reference)) : null;

    private static bool Matters(ArmComparison comparison) =>
        (comparison.IsBetter || comparison.IsWorse) && !comparison.Verdict.IsTooLittle;

    /// <summary><c>+21 % [14, 29]</c>, <c>no difference > 6 %</c> or <c>undecided, −12 to +44 %</c>.</summary>
    private static string Text(ArmComparison? comparison)
    {
        if (comparison is null)
            return "–";
        if (Matters(comparison))
            return VerdictText.Change(comparison.Verdict.Estimate);
        if (comparison.Verdict.Withheld.Length > 0 || comparison.Verdict.Estimate.Interval is not { } interval)
            return "undecided";
        var largest = LargestOf(comparison);
        return largest <= WidestOfNoDifference ? $"no difference > {VerdictText.RoundedUp(largest)}"
            : $"undecided, {Bare(interval.Low)} to {Quantity.Change(interval.High)}";
    }

    /// <summary>The largest difference that the interval contains; infinite without an interval.</summary>
    private static double LargestOf(ArmComparison comparison) =>
        comparison.Verdict is { Withheld.Length: 0, Estimate.Interval: { } interval }
            ? Math.Max(1 - interval.Low, interval.High - 1) : double.PositiveInfinity;

    private static string Bare(double ratio) => Quantity.Change(ratio).Replace(" %", "", StringComparison.Ordinal);

    /// <summary><c>400 clients, 10 B</c>.</summary>
    private static string Load(MeasuredCell cell)
    {
        var key = cell.Key;
        string[] parts = [Shape(cell), key.Work, key.Protocol == "grpc" ? "" : key.Protocol, key.Mode, key.Setting];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    private static string Shape(MeasuredCell cell)
    {
        var key = cell.Key;
        var isApplication = key.Client == "grpc-dotnet";
        return (key.Connections, key.Streams) switch
        {
            (1, 1) => isApplication ? "Grpc.Net.Client, one call at a time" : "one call at a time",
            (_, 1) => Invariant($"{(isApplication ? "Grpc.Net.Client, " : "")}{key.Connections} clients"),
            _ => isApplication ? "Grpc.Net.Client" : Invariant($"a channel, {key.Connections} × {key.Streams}"),
        };
    }
}
