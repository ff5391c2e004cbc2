using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
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
    public static string Title(MeasuredRun run) => Rows(run).Any() ? "Unix socket against TCP" + Method(run) + Where(run) : "";

    // A run calls one method. So the title names the method, and the rows do not.
    private static string Method(MeasuredRun run) => run.Cells[0].Key is { Method.Length: > 0 } key
        ? ", " + CellKey.WorkOf(key.Method, 0, "") : "";

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

    /// <summary>Returns a warning for the title if more than half of the rounds have a spoiled measurement. Empty otherwise.</summary>
    private static string Doubtful(MeasuredRun run)
    {
        var rounds = run.Cells.SelectMany(cell => cell.Rounds).GroupBy(round => round.Record.Number).ToList();
        var doubtful = rounds.Count(round => round.Any(cell => cell.Record.Spoiled.Length > 0));
        return doubtful * 2 > rounds.Count ? Invariant($"{doubtful} of {rounds.Count} rounds doubtful: the machine was busy") : "";
    }

    public static string OthersTitle(MeasuredRun run) =>
        Rows(run).Any() ? "Other transports against TCP" : "Against TCP" + Method(run) + Where(run);

    /// <summary>Makes the table, with a row for each load.</summary>
    public static TextTable Table(MeasuredRun run) => TableOf(run, Rows(run), named: false);

    /// <summary>
    /// Makes the table of the other transports (TLS, pipes) against TCP. Without such transports it has no rows.
    /// </summary>
    public static TextTable Others(MeasuredRun run) => TableOf(run, run.Cells.Where(cell => IsOther(run, cell)), named: true);

    /// <summary>Whether one of the two tables shows this cell: the cell has a row, or is the reference of a row.</summary>
    internal static bool Holds(MeasuredRun run, MeasuredCell cell) => IsRow(run, cell) || IsOther(run, cell)
        || run.Cells.Any(other => run.ReferenceOf(other) == cell && (IsRow(run, other) || IsOther(run, other)));

    /// <summary>
    /// Returns the number of loads that are undecided by requests/s and that more rounds may decide, and the number of
    /// all loads.
    /// </summary>
    public static (int Open, int Loads) Undecided(MeasuredRun run) => (Rows(run).Count(cell =>
        ArmComparison.OfHeadline(run, cell)!.Verdict is { Kind: VerdictKind.CannotTell, Withheld: "", Estimate.LeftOut: 0 }),
        Rows(run).Count());

    /// <summary>
    /// Returns how many more rounds are needed until each comparison by requests/s has an interval. 0 if no more rounds
    /// are needed.
    /// </summary>
    public static int RoundsMissing(MeasuredRun run) =>
        Rows(run).Select(cell => ArmComparison.OfHeadline(run, cell)!.Verdict.RoundsMissing).DefaultIfEmpty().Max();

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

    /// <summary>Explains the columns of the table. Empty when the table has no rows.</summary>
    public static string Legend(MeasuredRun run)
    {
        var keys = Rows(run).Select(cell => cell.Key).ToList();
        var shape = keys.Find(key => key.Streams > 1);
        return keys.Count == 0 ? "" : "At full load (at your rate: --my-rate). +: the Unix socket has more. Brackets: 95 % interval."
            + (shape is null ? "" : (keys.TrueForAll(key => key.IsOfGrpcNetClient) && IsUsualChannel(shape) ? " Grpc.Net.Client"
                : Invariant($" {shape.Connections} × {shape.Streams}")) + ": " + Quantity.Many(shape.Connections, "connection")
                + (shape.Connections > 1 ? ", each" : "") + Invariant($" with {shape.Streams} calls at a time")
                + (keys.Exists(key => key.IsOfGrpcNetClient) && keys.Exists(key => !key.IsOfGrpcNetClient)
                    ? ", also for Grpc.Net.Client. The other rows are of this tool's own client." : "."));
    }

    /// <summary>Says for each load whether a change to a Unix socket is worth it, and why. Empty when the table has no rows.</summary>
    public static string Worth(MeasuredRun run)
    {
        var rows = Rows(run).Select(cell => new Row(cell, ArmComparison.OfHeadline(run, cell)!, CostOf(run, cell))).ToList();
        if (rows.Count == 0)
            return "";
        var open = rows.FindAll(row => row.Worth.Length == 0);
        string[] parts =
        [
            .. from verdict in new[] { Yes, Depends, No }
               let found = rows.FindAll(row => row.Worth == verdict)
               where found.Count > 0
               select verdict + " for " + And([.. found.GroupBy(row => row.Reason).Select(
                   reason => $"{Names(reason)} ({reason.Key}{Within(reason)}{Doubts(run, reason)})")]),
            open.Count == 0 ? "" : open.Count == rows.Count ? "Undecided for all loads" : open.Count <= MostNamed
                ? "Undecided for " + Names(open) : Invariant($"Undecided for {open.Count} of {rows.Count} loads"),
        ];
        var withheld = rows.FindAll(row => row.Rate.Verdict.Withheld.Length > 0);
        var missing = RoundsMissing(run);
        return $"Worth it? {string.Join(". ", parts.Where(part => part.Length > 0))}."
            + (missing > 0 ? $" There are too few rounds: {Quantity.Many(missing, "more round")} needed." : "")
            + (withheld.Count > 0 ? $" Requests/s are not decided for {Names(withheld)}: {withheld[0].Rate.Verdict.Withheld}." : "");
    }

    // For loads whose requests/s are equal: the largest possible difference in requests/s, and in CPU if the CPU is equal too.
    private static string Within(IEnumerable<Row> rows) => rows.All(row => row.Reason.EndsWith(Equal, StringComparison.Ordinal))
        ? " within " + VerdictText.RoundedUp(rows.Max(row => row.LargestDifference)) : "";

    private static string Doubts(MeasuredRun run, IEnumerable<Row> rows) =>
        Answers.DoubtsOf(run, rows.Where(row => Matters(row.Rate)).Select(row => row.Rate)) is { Length: > 0 } doubts ? "; " + doubts : "";

    private static string Names(IEnumerable<Row> rows) => And([.. rows.GroupBy(row => Load(row.Cell, work: "")).Select(shape =>
        And([.. shape.Select(row => row.Cell.Key.WorkWithoutMethod).Where(work => work.Length > 0)]) is { Length: > 0 } works
            ? $"{shape.Key} with {works}" : shape.Key)]);

    private static IEnumerable<MeasuredCell> Rows(MeasuredRun run) => RunTables.InOrder(run).Where(cell => IsRow(run, cell));

    /// <summary>
    /// Lists for each row the shape of its load, the call (<see cref="CellKey.Work"/>), and the comparison by requests/s, also as text.
    /// </summary>
    internal static IEnumerable<(string Shape, string Work, ArmComparison Rate, string Text)> Verdicts(MeasuredRun run) =>
        from cell in Rows(run)
        let rate = ArmComparison.OfHeadline(run, cell)!
        select (Load(cell, work: ""), cell.Key.Work, rate, VerdictText.Short(rate.Verdict));

    private static bool IsRow(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport == "unix" && IsCompared(run, cell)
        && ClaimFamily.IsPrimary(cell.Key, run.ReferenceOf(cell)!.Key);

    private static bool IsOther(MeasuredRun run, MeasuredCell cell) => cell.Key.Transport is not ("unix" or "tcp")
        && IsCompared(run, cell) && run.ReferenceOf(cell)!.Key.Transport == "tcp";

    // Cells at a given load are left out: their result is the latency, which has a table of its own.
    private static bool IsCompared(MeasuredRun run, MeasuredCell cell) => cell.Median is not null && !AaTest.IsAa(cell.Key)
        && cell.Key is { IsFullLoad: true, Protocol: not "echo" } && !cell.IsUntimed && !Answers.IsOfLayers(run)
        && run.ReferenceOf(cell) is { Median: not null }
        && ArmComparison.OfHeadline(run, cell) is not null;

    private static TextTable TableOf(MeasuredRun run, IEnumerable<MeasuredCell> cells, bool named) => TableOf(run,
        cells.Select(cell => ((named ? cell.Key.Transport + ": " : "") + Load(cell), cell, run.ReferenceOf(cell)!)));

    /// <summary>Makes a table of the comparisons of cells with their references, with a row for each load.</summary>
    internal static TextTable TableOf(MeasuredRun run, IEnumerable<(string Load, MeasuredCell Cell, MeasuredCell Reference)> rows)
    {
        var table = new TextTable("load", "requests/s", "CPU per call") { Words = 3 };
        foreach (var (load, cell, reference) in rows)
        {
            string Text(Metric metric) => ArmComparison.Compare(run, cell, reference, metric) is { } comparison
                ? VerdictText.Short(comparison.Verdict) : Quantity.None;
            table.Add(load, Text(Metric.Rate), Text(ArmComparison.Cost(cell, reference)));
        }
        return table;
    }

    private static ArmComparison? CostOf(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? ArmComparison.Compare(run, cell, reference, ArmComparison.Cost(cell, reference)) : null;

    internal static bool Matters(ArmComparison comparison) =>
        (comparison.IsBetter || comparison.IsWorse) && !comparison.Verdict.IsTooLittle;

    /// <summary>Names a load: <c>400 clients, 10 B</c>.</summary>
    private static string Load(MeasuredCell cell) => Load(cell, cell.Key.WorkWithoutMethod);

    /// <summary>Names a load without the setting of its arm.</summary>
    internal static string LoadWithoutSetting(MeasuredCell cell) => Load(cell, cell.Key.WorkWithoutMethod, setting: "");

    private static string Load(MeasuredCell cell, string work) => Load(cell, work, cell.Key.Setting);

    private static string Load(MeasuredCell cell, string work, string setting)
    {
        var key = cell.Key;
        string[] parts = [Shape(cell), work, key.Protocol == "grpc" ? "" : key.Protocol, key.Mode, setting];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    private static string Shape(MeasuredCell cell)
    {
        var shape = Arms.Shape(cell.Key.Connections, cell.Key.Streams);
        return !cell.Key.IsOfGrpcNetClient ? shape : IsUsualChannel(cell.Key) ? "Grpc.Net.Client" : "Grpc.Net.Client, " + shape;
    }

    // The load of the default plan, which the legend explains.
    private static bool IsUsualChannel(CellKey key) => (key.Connections, key.Streams) == (5, 80);

    // If more loads than this are undecided, the sentence has their number and not their names.
    private const int MostNamed = 2;

    private const string Yes = "Yes", No = "No", Depends = "It depends", Equal = "equal";

    /// <summary>A load with its comparisons by requests/s and by CPU per call, and the conclusion.</summary>
    private sealed record Row(MeasuredCell Cell, ArmComparison Rate, ArmComparison? Cpu)
    {
        private bool IsAlike => Rate.Verdict.IsEqual;

        private bool IsCpuAlike => Cpu is not null && Cpu.Verdict.IsEqual;

        // By requests/s: 1 if the Unix socket is better, -1 if TCP is better, 0 if nothing is decided or the difference is too small.
        private int Speed => Side(Rate);

        // Like Speed, but by CPU per call.
        private int Saving => Cpu is null ? 0 : Side(Cpu);

        /// <summary>Whether a change to a Unix socket is worth it: yes, no or it depends. Empty when nothing is decided.</summary>
        public string Worth => (Speed, Saving) switch
        {
            (0, 0) => IsAlike ? No : "",
            ( >= 0, >= 0) => Yes,
            ( <= 0, <= 0) => No,
            _ => Depends,
        };

        /// <summary>The decided differences in words: the reason for the conclusion. Empty when nothing is decided.</summary>
        public string Reason => (Speed, Saving) == (0, 0) ? !IsAlike ? "" : IsCpuAlike ? Equal : "requests/s " + Equal
            : string.Join(", ", new[]
            {
                Speed > 0 ? "faster" : Speed < 0 ? "slower" : "",
                Saving > 0 ? "less CPU" : Saving < 0 ? "more CPU" : "",
            }.Where(part => part.Length > 0));

        /// <summary>The largest possible difference of the metrics that <see cref="Reason"/> calls equal.</summary>
        public double LargestDifference => IsCpuAlike ? Math.Max(Rate.Verdict.LargestDifference, Cpu!.Verdict.LargestDifference)
            : Rate.Verdict.LargestDifference;

        private static int Side(ArmComparison comparison) => !Matters(comparison) ? 0 : comparison.IsBetter ? 1 : -1;
    }
}
