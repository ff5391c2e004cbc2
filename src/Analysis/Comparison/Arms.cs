using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// The arms of a run in the form that reports show: grouped by workload, ranked, and without the second endpoint of an A/A test.
/// </summary>
internal static class Arms
{
    /// <summary>Groups the measured cells by workload, in the order of the plan.</summary>
    public static IEnumerable<IGrouping<Workload, MeasuredCell>> ByWorkload(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Median is not null && !AaTest.IsAa(cell.Key)).GroupBy(cell => cell.Workload);

    /// <summary>
    /// Finds the choices between arms in a workload. A choice is between the transports of one client, protocol and
    /// mode. If no client has several transports, the choice is between the clients, protocols and modes. If the run
    /// compares values of a setting with the default, there is a choice between these values for each transport.
    /// </summary>
    public static IEnumerable<IReadOnlyList<T>> Choices<T>(IReadOnlyList<T> workload, Func<T, CellKey> keyOf)
    {
        var isSweep = workload.Any(cell => ReferenceChoice.IsSetting(keyOf(cell))
            && workload.Any(other => ReferenceChoice.IsDefaultOf(keyOf(other), keyOf(cell))));
        var clients = workload.GroupBy(
            cell => (keyOf(cell).Client, keyOf(cell).Protocol, keyOf(cell).Mode, isSweep ? keyOf(cell).Transport : ""),
            (_, arms) => arms.ToList()).ToList();
        return clients.Exists(arms => arms.Count > 1) ? clients : [[.. clients.SelectMany(arms => arms)]];
    }

    /// <summary>Sorts the cells by their headline metric, the best first.</summary>
    public static List<MeasuredCell> Ranked(IEnumerable<MeasuredCell> cells)
    {
        var all = cells.ToList();
        var metric = ArmComparison.Headline(all[0]);
        var sign = metric.Better == Better.Higher ? -1 : 1;
        return [.. all.OrderBy(cell => sign * (cell.Value(metric) ?? double.PositiveInfinity * sign))];
    }

    /// <summary>Returns the heading of a column that shows <see cref="NameOf"/>.</summary>
    public static string Heading(MeasuredRun run) => HasShapes(run) ? "load"
        : run.Record.Cells.Any(cell => cell.Key.Method.Length > 0) ? "method" : "size";

    /// <summary>Returns the heading of a column of rates: messages/s if a cell has streams of messages, otherwise requests/s.</summary>
    public static string RateHeading(MeasuredRun run) =>
        run.Record.Cells.Any(cell => cell.Key.IsOfMessages) ? "messages/s" : Metric.Rate.Title;

    /// <summary>Returns the title over a chart or table of rates.</summary>
    public static string RateTitle(MeasuredRun run) =>
        RateHeading(run) == Metric.Rate.Title ? "Requests per second" : "Messages per second";

    /// <summary>Names a workload: its size or method, and its connections, streams and load if they vary in this run.</summary>
    public static string NameOf(MeasuredRun run, Workload workload, bool withLoad = true)
    {
        var parts = new List<string> { workload.Work };
        if (HasShapes(run))
            parts.Insert(0, Shape(workload.Connections, workload.Streams));
        if (withLoad && run.Record.Cells.Any(other => other.Key.Load != workload.Load))
            parts.Add(workload.IsFullLoad ? "full load" : "load " + workload.Load);
        return string.Join(", ", parts);
    }

    /// <summary>
    /// Describes how many calls are in flight: <c>one call at a time</c>, <c>400 clients</c>, <c>a channel, 5 × 80</c>.
    /// </summary>
    public static string Shape(int connections, int streams) => (connections, streams) switch
    {
        (1, 1) => "one call at a time",
        (_, 1) => TextBuilding.Invariant($"{connections} clients"),
        _ => TextBuilding.Invariant($"a channel, {connections} × {streams}"),
    };

    /// <summary>Whether the cells of the run differ in their number of connections or streams.</summary>
    private static bool HasShapes(MeasuredRun run) =>
        run.Record.Cells.Select(cell => (cell.Key.Connections, cell.Key.Streams)).Distinct().Skip(1).Any();
}
