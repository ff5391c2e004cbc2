using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The most frequent question in one table: a Unix socket compared with TCP by requests/s and by CPU per call, with a row
/// per load. The other transports have a table of their own.
/// </summary>
public static class UnixAgainstTcp
{
    // If the interval is wider, both bounds are shown, because "no difference larger than 40 %" would read like good news.
    private const double WidestOfNoDifference = 0.10;

    /// <summary>Says what the table compares and on which machine. Empty when no Unix socket was compared with TCP.</summary>
    public static string Title(MeasuredRun run) => Rows(run).Any() ? "Unix socket against TCP" + Where(run) : "";

    private static string Where(MeasuredRun run)
    {
        var host = run.Record.Host;
        string[] where =
        [
            host.LogicalCpus > 0 ? Quantity.Many(host.LogicalCpus, "CPU") : "",
            host.Virtualization.Length > 0 ? "virtual machine" : "",
            run.Record.Options.FreshServers ? "" : "one start of the server",
            Doubtful(run),
        ];
        var what = string.Join(", ", where.Where(part => part.Length > 0));
        return what.Length > 0 ? $" ({what})" : "";
    }

    /// <summary>Says that the machine was busy in most rounds. Empty otherwise. The text stands in the title of the answer.</summary>
    private static string Doubtful(MeasuredRun run)
    {
        var rounds = run.Cells.SelectMany(cell => cell.Rounds).GroupBy(round => round.Record.Number).ToList();
        var doubtful = rounds.Count(round => round.Any(cell => cell.Record.Spoiled.Length > 0));
        return doubtful * 2 > rounds.Count ? Invariant($"{doubtful} of {rounds.Count} rounds doubtful: the machine was busy") : "";
    }

    public static string OthersTitle(MeasuredRun run) =>
        Rows(run).Any() ? "Other transports against TCP" : "Against TCP" + Where(run);

    /// <summary>Makes the table, with a row for each load.</summary>
    public static TextTable Table(MeasuredRun run) => TableOf(run, Rows(run), named: false);

    /// <summary>Makes the table of TLS and pipes, which answers another question. Without them the table has no rows.</summary>
    public static TextTable Others(MeasuredRun run) => TableOf(run, run.Cells.Where(cell => IsOther(run, cell)), named: true);

    /// <summary>Whether one of the two tables shows this cell: the cell has a row, or is the reference of a row.</summary>
    internal static bool Holds(MeasuredRun run, MeasuredCell cell) => IsRow(run, cell) || IsOther(run, cell)
        || run.Cells.Any(other => run.ReferenceOf(other) == cell && (IsRow(run, other) || IsOther(run, other)));

    /// <summary>Counts the loads that requests/s do not decide, so that more rounds would help, and all loads.</summary>
    public static (int Open, int Loads) Undecided(MeasuredRun run) => (Rows(run).Count(cell =>
        ArmComparison.OfHeadline(run, cell) is var one && !Matters(one!) && LargestOf(one!) > WidestOfNoDifference), Rows(run).Count());

    /// <summary>
    /// Makes a table of requests/s and the CPU of a call of both sides, with a row for each load and columns for its transports.
    /// </summary>
    internal static TextTable Figures(IReadOnlyList<MeasuredCell> cells)
    {
        var transports = cells.Select(cell => cell.Key.Transport).Distinct().ToList();
        var table = new TextTable(["load", .. transports, .. transports.Select(transport => "CPU " + transport)])
        { Spare = [.. transports.Select(transport => "CPU " + transport).Reverse()] };
        foreach (var load in cells.GroupBy(Load))
        {
            string Of(string transport, Metric metric) =>
                load.FirstOrDefault(cell => cell.Key.Transport == transport)?.Show(metric) ?? Quantity.None;
            table.Add([load.Key, .. transports.Select(transport => Of(transport, Metric.Rate)),
                .. transports.Select(transport => Of(transport, Metric.TotalCpu))]);
        }
        return table;
    }

    /// <summary>Says whether a change to a Unix socket is worth it. Empty when the table has no rows.</summary>
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
            And([.. list.GroupBy(row => Load(row.Cell, work: "")).Select(shape =>
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
                : faster.Count + slower.Count == 0 ? $"; requests/s are undecided for {Quantity.Many(undecided, "load")}."
                : $"; not decided for {Quantity.Many(undecided, "other load")}.")}";
    }

    private static IEnumerable<MeasuredCell> Rows(MeasuredRun run) => run.Cells.Where(cell => IsRow(run, cell));

    /// <summary>
    /// Lists for each row the shape of the load, what a call is about, the comparison of the requests/s and its text.
    /// </summary>
    internal static IEnumerable<(string Shape, string Work, ArmComparison Rate, string Text)> Verdicts(MeasuredRun run) =>
        from cell in Rows(run)
        let rate = ArmComparison.OfHeadline(run, cell)!
        select (Load(cell, work: ""), cell.Key.Work, rate, Text(rate));

    private static bool IsRow(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport == "unix" && IsCompared(run, cell)
        && ClaimFamily.IsPrimary(cell.Key, run.ReferenceOf(cell)!.Key);

    private static bool IsOther(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport is not ("unix" or "tcp")
        && IsCompared(run, cell) && run.ReferenceOf(cell)!.Key.Transport == "tcp";

    // At a given load the result is the latency, which has a table of its own.
    private static bool IsCompared(MeasuredRun run, MeasuredCell cell) => cell.Median is not null && !AaTest.IsAa(cell.Key)
        && cell.Key is { IsFullLoad: true, Protocol: not "echo" } && !cell.IsUntimed && !Answers.IsOfLayers(run)
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

    internal static bool Matters(ArmComparison comparison) =>
        (comparison.IsBetter || comparison.IsWorse) && !comparison.Verdict.IsTooLittle;

    /// <summary>Says a comparison: <c>+21 % [14, 29]</c>, <c>no difference > 6 %</c> or <c>undecided, −12 to +44 %</c>.</summary>
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

    /// <summary>Computes the largest difference that the interval contains. Infinite without an interval.</summary>
    private static double LargestOf(ArmComparison comparison) =>
        comparison.Verdict is { Withheld.Length: 0, Estimate.Interval: { } interval }
            ? Math.Max(1 - interval.Low, interval.High - 1) : double.PositiveInfinity;

    private static string Bare(double ratio) => Quantity.Change(ratio).Replace(" %", "", StringComparison.Ordinal);

    /// <summary>Names a load: <c>400 clients, 10 B</c>.</summary>
    private static string Load(MeasuredCell cell) => Load(cell, cell.Key.Work);

    private static string Load(MeasuredCell cell, string work)
    {
        var key = cell.Key;
        string[] parts = [Shape(cell), work, key.Protocol == "grpc" ? "" : key.Protocol, key.Mode, key.Setting];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    private static string Shape(MeasuredCell cell) => (cell.Key.IsOfGrpcNetClient, cell.Key.Streams) switch
    {
        (true, > 1) => "Grpc.Net.Client", // its load stands beside it: a channel's
        (true, _) => "Grpc.Net.Client, " + Arms.Shape(cell.Key.Connections, cell.Key.Streams),
        _ => Arms.Shape(cell.Key.Connections, cell.Key.Streams),
    };
}
