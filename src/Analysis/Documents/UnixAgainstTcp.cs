using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The most frequent question in one table: a Unix socket compared with TCP by requests/s and by CPU per call, with a row
/// per load. The other transports have a table of their own.
/// </summary>
public static class UnixAgainstTcp
{
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

    /// <summary>Says in the title of the answer that the machine was busy in most rounds. Empty if it was not.</summary>
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

    /// <summary>Makes the table that compares the other transports (TLS, pipes) with TCP. It has no rows if there are none.</summary>
    public static TextTable Others(MeasuredRun run) => TableOf(run, run.Cells.Where(cell => IsOther(run, cell)), named: true);

    /// <summary>Whether one of the two tables shows this cell: the cell has a row, or is the reference of a row.</summary>
    internal static bool Holds(MeasuredRun run, MeasuredCell cell) => IsRow(run, cell) || IsOther(run, cell)
        || run.Cells.Any(other => run.ReferenceOf(other) == cell && (IsRow(run, other) || IsOther(run, other)));

    /// <summary>Returns the number of loads whose comparison by requests/s is undecided, and the number of all loads.</summary>
    public static (int Open, int Loads) Undecided(MeasuredRun run) => (Rows(run).Count(cell =>
        ArmComparison.OfHeadline(run, cell)!.Verdict.Kind == VerdictKind.CannotTell), Rows(run).Count());

    /// <summary>
    /// Makes a table of requests/s and of the CPU per call of both sides together, with a row for each load and columns
    /// for its transports.
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
        var verdicts = rows.ConvertAll(cell => new Row(cell, ArmComparison.OfHeadline(run, cell)!, CostOf(run, cell)));
        var faster = verdicts.FindAll(row => Matters(row.Rate) && row.Rate.IsBetter);
        var slower = verdicts.FindAll(row => Matters(row.Rate) && row.Rate.IsWorse);
        // A load that is already named for its requests/s is not named for its CPU again.
        var cheaper = verdicts.FindAll(row => !faster.Contains(row) && row.Cpu is { IsBetter: true } cpu && Matters(cpu));
        var dearer = verdicts.FindAll(row => !slower.Contains(row) && row.Cpu is { IsWorse: true } cpu && Matters(cpu));
        var alike = verdicts.FindAll(row => row.Rate.Verdict.Kind == VerdictKind.NoDifference || row.Rate.Verdict.IsTooLittle);
        string[] parts =
        [
            Side("a Unix socket", run, faster, cheaper), Side("TCP", run, slower, dearer),
            alike.Count > 0
                ? $"no difference > {VerdictText.RoundedUp(alike.Max(row => row.Rate.Verdict.LargestDifference))} for {Names(alike)}" : "",
        ];
        var said = string.Join("; ", parts.Where(part => part.Length > 0));
        var (open, loads) = Undecided(run);
        var rest = (open > 0 ? Invariant($" Requests/s are undecided for {open} of {Quantity.Many(loads, "load")}.") : "")
            + (verdicts.Exists(row => row.Rate.Verdict.IsOnlyJust || row.Cpu is { Verdict.IsOnlyJust: true })
                ? $" {VerdictText.Barely}." : "");
        return said.Length == 0 ? "Worth it? No difference was decided for any of these loads."
            : $"Worth it? {char.ToUpperInvariant(said[0])}{said[1..]}.{rest}";
    }

    /// <summary>Says where one side is faster, and where it saves CPU only. Empty when it is nowhere ahead.</summary>
    private static string Side(string side, MeasuredRun run, List<Row> faster, List<Row> cheaper)
    {
        string[] parts =
        [
            faster.Count > 0 ? $"is faster for {Names(faster)}{Answers.Reserve(run, faster.Select(row => row.Rate))}" : "",
            cheaper.Count > 0 ? $"saves CPU for {Names(cheaper)}" : "",
        ];
        return faster.Count + cheaper.Count == 0 ? "" : $"{side} {string.Join(" and ", parts.Where(part => part.Length > 0))}";
    }

    private static string Names(IEnumerable<Row> rows) => And([.. rows.GroupBy(row => Load(row.Cell, work: "")).Select(shape =>
        $"{shape.Key} with {And([.. shape.Select(row => row.Cell.Key.Work)])}")]);

    private static IEnumerable<MeasuredCell> Rows(MeasuredRun run) => run.Cells.Where(cell => IsRow(run, cell));

    /// <summary>
    /// Lists for each row of the table the shape of its load, the size of a call, the comparison by requests/s, and
    /// this comparison as text.
    /// </summary>
    internal static IEnumerable<(string Shape, string Work, ArmComparison Rate, string Text)> Verdicts(MeasuredRun run) =>
        from cell in Rows(run)
        let rate = ArmComparison.OfHeadline(run, cell)!
        select (Load(cell, work: ""), cell.Key.Work, rate, Text(rate));

    private static bool IsRow(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport == "unix" && IsCompared(run, cell)
        && ClaimFamily.IsPrimary(cell.Key, run.ReferenceOf(cell)!.Key);

    private static bool IsOther(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport is not ("unix" or "tcp")
        && IsCompared(run, cell) && run.ReferenceOf(cell)!.Key.Transport == "tcp";

    // Cells at a given load are left out: their result is the latency, which has a table of its own.
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

    private static string Text(ArmComparison? comparison) =>
        comparison is null ? Quantity.None : VerdictText.Short(comparison.Verdict);

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

    private sealed record Row(MeasuredCell Cell, ArmComparison Rate, ArmComparison? Cpu);
}
