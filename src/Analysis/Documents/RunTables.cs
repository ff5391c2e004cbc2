using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>The tables of a run, the same for text, Markdown and HTML.</summary>
internal static class RunTables
{
    /// <summary>Explains columns of the throughput table.</summary>
    public static IReadOnlyList<(string Heading, string Words)> ThroughputColumns(MeasuredRun run) =>
    [
        ("payload/s", run.Record.Rounds.All(round => round.Credited is null) ? "" : "payload/s: bytes that arrived inside the window; "
            + "requests/s count a call across an edge of the window by its share, so requests/s × size may differ a little."),
        ("server CPU", "CPU per call: the median of both sides together, which may differ from the sum of the medians of client and "
            + "server."),
        ("unattributed", "unattributed: CPU time of the machine, per call, that belongs to neither client nor server (the kernel's "
            + "interrupts, other programs)."),
    ];

    /// <summary>
    /// Makes the table that a screen shows for the cells at full load. If the tables of <see cref="UnixAgainstTcp"/> compare all
    /// these cells, a row is a load, and the transports are columns. Otherwise a row is a cell with its ratio, and the column
    /// of transports is left out if there is only one arm.
    /// </summary>
    public static (string Title, TextTable Table) OnScreen(MeasuredRun run)
    {
        var cells = InOrder(run).Where(IsAtFullLoad).ToList();
        if (cells.Count > 0 && cells.TrueForAll(cell => UnixAgainstTcp.Holds(run, cell)))
        {
            var rate = Arms.RateHeading(run) == Metric.Rate.Title ? "Requests/s" : "Messages/s";
            return (rate + " (median round) and CPU per call (client and server)", UnixAgainstTcp.Figures(cells));
        }
        var ratio = RatioHeadings(run, cells);
        string[] arm = cells.Select(cell => cell.Key.Arm).Distinct().Skip(1).Any() ? ["transport"] : [];
        var table = new TextTable([Arms.Heading(run), .. arm, Arms.RateHeading(run), .. ratio, "p50", "p95", "p99", "client CPU",
            "server CPU"])
        {
            Words = 1 + arm.Length,
            // A narrow screen keeps the most important columns: the latency of a single arm, or the ratio and the CPU of several arms.
            Spare = arm.Length == 0 ? ["client CPU", "p95", "p99", "p50"] : ["p95", "p99", "p50", "client CPU"],
        };
        foreach (var cell in cells)
        {
            table.Add([Arms.NameOf(run, cell.Workload), .. arm.Select(_ => cell.Key.Arm), cell.Show(Metric.Rate),
                .. Ratios(run, cell, ratio.Length), .. new[] { Metric.P50, Metric.P95, Metric.P99 }.Select(cell.Show),
                cell.Show(Metric.ClientCpu), cell.Show(Metric.ServerCpu)]);
        }
        return ($"{Arms.RateHeading(run)} of the median round, percentiles of all rounds, CPU per call", table);
    }

    /// <summary>Makes the table of the throughput at full load with its range and ratio, and the CPU per call.</summary>
    public static TextTable Throughput(MeasuredRun run)
    {
        var cells = InOrder(run).Where(IsAtFullLoad).ToList();
        var ratio = RatioHeadings(run, cells);
        var table = new TextTable([Arms.Heading(run), "transport", Arms.RateHeading(run), "range of rounds", "payload/s", .. ratio,
            "CPU per call", "client CPU", "server CPU", "unattributed"])
        { Words = 2, Spare = ["unattributed", "payload/s", "range of rounds", "client CPU", "server CPU"] };
        foreach (var cell in cells)
        {
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, cell.Show(Metric.Rate), Range(cell, Metric.Rate),
                cell.Show(Metric.Find("payload")!),
                .. Ratios(run, cell, ratio.Length), cell.Show(Metric.TotalCpu),
                cell.Show(Metric.ClientCpu), cell.Show(Metric.ServerCpu), cell.Show(Metric.UnattributedCpu)]);
        }
        return table;
    }

    /// <summary>
    /// Makes the table of latencies with their ratios, for cells with a given load. The requests/s of these cells are as
    /// requested, so the latency is the result.
    /// </summary>
    public static TextTable AtGivenLoad(MeasuredRun run)
    {
        var cells = InOrder(run).Where(cell => !IsAtFullLoad(cell)).ToList();
        var ratio = RatioHeadings(run, cells);
        var table = new TextTable([Arms.Heading(run), "transport", "p50", .. ratio, "p90", "p95", "p99", "p99 of rounds", "p99.9",
            Arms.RateHeading(run), "client CPU", "server CPU"])
        { Words = 2, Spare = ["p99 of rounds", "p90", Arms.RateHeading(run), "p99.9", "p95", "client CPU", "server CPU"] };
        foreach (var cell in cells)
        {
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, cell.Show(Metric.P50), .. Ratios(run, cell, ratio.Length),
                cell.Show(Metric.Find("p90")!), cell.Show(Metric.P95), cell.Show(Metric.P99), OverRounds(run, cell, Metric.P99),
                cell.Show(Metric.Find("p99.9")!), WithRange(cell, Metric.Rate), WithRange(cell, Metric.ClientCpu),
                WithRange(cell, Metric.ServerCpu)]);
        }
        return table;
    }

    /// <summary>Explains the columns of <see cref="AtGivenLoad"/>.</summary>
    public static IReadOnlyList<(string Heading, string Words)> AtGivenLoadWords { get; } =
    [
        ("p50", "Percentiles include the calls of all rounds; the latency of a call begins when the call is due."),
        ("p99 of rounds", "p99 of rounds: the interval of the p99 over the rounds; with fewer than six rounds, the range."),
        ("CPU", "requests/s and CPU: median of the rounds and range."),
    ];

    /// <summary>Shows the interval of the metric over the rounds, or its range if there are too few rounds for an interval.</summary>
    private static string OverRounds(MeasuredRun run, MeasuredCell cell, Metric metric) =>
        cell.OverRounds(metric, Joint.Alpha) is { Bounds: var bounds }
            ? $"{Quantity.Show(bounds.Low, metric.Unit)} – {Quantity.Show(bounds.High, metric.Unit)}" : Quantity.None;

    /// <summary>
    /// Explains contradictions: one of two arms is faster by its median round, and the other arm is faster by pairs of rounds. A
    /// contradiction arises, for example, if the median round of one arm is a round in which all arms were fast. Each arm
    /// with a contradiction and a decided verdict has its own sentence. If no such verdict is decided, one sentence is
    /// about all arms. Empty without contradictions.
    /// </summary>
    public static string Contradictions(MeasuredRun run)
    {
        var opposed = (from cell in InOrder(run).Where(IsAtFullLoad)
                       let comparison = ArmComparison.OfHeadline(run, cell)
                       where comparison is not null
                           && (cell.Value(Metric.Rate) - comparison.Reference.Value(Metric.Rate))
                               * (comparison.Verdict.Estimate.Ratio - 1) < 0
                       select (Cell: cell, Comparison: comparison)).ToList();
        var decided = opposed.FindAll(one => one.Comparison.IsBetter || one.Comparison.IsWorse);
        return opposed.Count == 0 ? ""
            : decided.Count == 0 ? "A percentage compares two arms within each round, so it may differ from the ratio of the medians: "
                + "trust the percentages."
            : string.Join(' ', decided.Select(one => $"{Arms.NameOf(run, one.Cell.Workload)}: {one.Cell.Key.Arm} is "
                + $"{(one.Comparison.IsBetter ? "faster" : "slower")} than {one.Comparison.Reference.Key.Arm} within rounds, "
                + "although the median rounds say the opposite: trust the comparison within rounds."));
    }

    /// <summary>Makes the table of the latencies of the calls of all rounds together.</summary>
    public static TextTable Latency(MeasuredRun run)
    {
        Metric[] metrics = [Metric.Mean, .. Metric.Percentiles, Metric.Max];
        var table = new TextTable([Arms.Heading(run), "transport", .. metrics.Select(metric => metric.Id)])
        { Words = 2, Spare = ["p99.9", "p90", "max", "mean", "p95"] };
        foreach (var cell in InOrder(run))
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, .. metrics.Select(cell.Show)]);
        return table;
    }

    /// <summary>
    /// Makes the table of the connections of the watched endpoints in the median round: the mean and maximum of each
    /// state. An endpoint that only other cells used, or that had no connection, is left out.
    /// </summary>
    public static TextTable Connections(MeasuredRun run)
    {
        var table = new TextTable(Arms.Heading(run), "transport", "endpoint", "active", "idle", "waiting", "closing", "TIME_WAIT")
        { Words = 3 };
        var busy = InOrder(run).SelectMany(cell => cell.Median!.Record.Watched).Where(IsBusy).Select(watched => watched.Name).ToHashSet();
        foreach (var cell in InOrder(run))
        {
            // An endpoint that was idle in this cell is shown only if it was busy in no cell.
            foreach (var watched in cell.Median!.Record.Watched.Where(watched => IsBusy(watched) || watched.Idle.Max > 0
                && !busy.Contains(watched.Name)))
                table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, watched.Name,
                    .. new[] { watched.Active, watched.Idle, watched.Waiting, watched.Closing, watched.TimeWait }.Select(States)]);
        }
        return table;
    }

    /// <summary>Makes the table of the verdicts of each arm against its reference.</summary>
    public static TextTable Verdicts(MeasuredRun run)
    {
        var table = new TextTable(Arms.Heading(run), "transport", "against", "verdict") { Words = 4 };
        foreach (var comparison in InOrder(run).Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>())
            table.Add(Arms.NameOf(run, comparison.Cell.Workload), comparison.Cell.Key.Arm, comparison.Reference.Key.Arm,
                VerdictText.Describe(comparison.Verdict, comparison.Metric));
        return table;
    }

    internal static bool IsAtFullLoad(MeasuredCell cell) => cell.Key.IsFullLoad;

    /// <summary>
    /// Returns the heading of the ratios. If there are several references, a second column names the reference of each row.
    /// </summary>
    private static string[] RatioHeadings(MeasuredRun run, IReadOnlyList<MeasuredCell> cells)
    {
        var references = cells.Select(run.ReferenceOf).OfType<MeasuredCell>().Select(cell => cell.Key).DistinctBy(key => key.Arm).ToList();
        // If the arms differ only in the transport, the heading is the transport alone, which leaves room for more columns.
        return references switch
        {
            [] => [],
            [var one] => ["ratio to " + (cells.All(cell => AfterTransport(cell.Key) == AfterTransport(one)) ? one.Transport : one.Arm)],
            _ => ["ratio", "against"],
        };
    }

    private static string AfterTransport(CellKey key) => key.Arm[key.Transport.Length..];

    private static string[] Ratios(MeasuredRun run, MeasuredCell cell, int columns) => columns switch
    {
        0 => [],
        1 => [Ratio(run, cell, ArmComparison.Headline(cell))],
        _ => [Ratio(run, cell, ArmComparison.Headline(cell)), run.ReferenceOf(cell)?.Key.Arm ?? Quantity.None],
    };

    // Idle connections and ports in TIME_WAIT may be left from another arm, so they do not show that this arm uses the endpoint.
    private static bool IsBusy(WatchedEndpoint watched) => watched.Active.Max + watched.Waiting.Max + watched.Closing.Max > 0;

    private static string States(StateCount count) =>
        count.Max == 0 ? "0" : $"{Quantity.Significant(count.Mean)} (≤ {Quantity.Count(count.Max)})";

    internal static string Range(MeasuredCell cell, Metric metric)
    {
        var values = cell.Values(metric).ToList();
        return values.Count < 2 ? Quantity.None
            : $"{Quantity.Show(values.Min(), metric.Unit)} – {Quantity.Show(values.Max(), metric.Unit)}";
    }

    private static string WithRange(MeasuredCell cell, Metric metric) =>
        Range(cell, metric) is var range && range == Quantity.None ? cell.Show(metric) : $"{cell.Show(metric)} ({range})";

    internal static string Ratio(MeasuredRun run, MeasuredCell cell, Metric metric) =>
        run.ReferenceOf(cell) is { } reference && ArmComparison.Compare(run, cell, reference, metric) is { Verdict.Withheld: "" } comparison
            ? VerdictText.Change(comparison.Verdict.Estimate) : Quantity.None;

    /// <summary>Lists the measured cells in the order of the plan, with the arms of a workload together.</summary>
    internal static IEnumerable<MeasuredCell> InOrder(MeasuredRun run) => run.Cells.Where(cell => cell.Median is not null)
        .GroupBy(cell => cell.Workload).SelectMany(cells => cells);
}
