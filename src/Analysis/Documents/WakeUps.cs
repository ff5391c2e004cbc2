using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// How often a call wakes each side, and how many system calls the event loops make per call. These numbers explain why one
/// transport costs more than another.
/// </summary>
internal static class WakeUps
{
    public const string Title = "Wake-ups and system calls per call (median of the rounds)";

    /// <summary>Explains the columns.</summary>
    public static IReadOnlyList<(string Heading, string Words)> Words { get; } =
    [
        ("woken", "woken: a waiting thread was woken."),
        ("preempted", "preempted: a running thread lost its CPU."),
        ("empty receives", "empty receives: receives that found nothing."),
        ("receives", "System calls are those of the client's event loop, and of the server's event loop with --sockets loop."),
    ];

    // A difference in wake-ups per call below this is too small to explain a difference in cost.
    private const double LeastDifference = 0.1;

    private static readonly (string Heading, Metric Metric)[] Columns =
    [
        ("client woken", Metric.ClientWakeUps), ("server woken", Metric.ServerWakeUps),
        ("client preempted", Metric.Find("client_preempted")!), ("server preempted", Metric.Find("server_preempted")!),
        ("receives", Metric.Find("client_receives")!), ("empty receives", Metric.Find("client_empty_receives")!),
        ("sends", Metric.Find("client_sends")!), ("epoll_waits", Metric.Find("client_waits")!),
        ("server receives", Metric.Find("server_receives")!), ("server empty receives", Metric.Find("server_empty_receives")!),
        ("server sends", Metric.Find("server_sends")!), ("server epoll_waits", Metric.Find("server_waits")!),
    ];

    /// <summary>Makes the table. Empty when the system does not report these numbers. A column without values is left out.</summary>
    public static TextTable Table(MeasuredRun run)
    {
        var cells = RunTables.InOrder(run).ToList();
        var columns = Columns.Where(column => cells.Exists(cell => cell.Value(column.Metric) is not null)).ToList();
        var table = new TextTable([Arms.Heading(run), "transport", .. columns.Select(column => column.Heading)])
        {
            Words = 2,
            Spare = ["server epoll_waits", "server sends", "server empty receives", "server receives", "client preempted",
                "server preempted", "epoll_waits", "sends", "empty receives", "receives"],
        };
        foreach (var cell in columns.Count == 0 ? [] : cells)
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, .. columns.Select(column => cell.Show(column.Metric))]);
        return table;
    }

    /// <summary>
    /// Writes a sentence for each arm and side (client or server) whose wake-ups per call differ from the reference's, if
    /// the difference is decided. Each sentence is about the workload with the largest difference of its arm and side.
    /// The sentence with the largest difference comes first.
    /// </summary>
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where !AaTest.IsAa(cell.Key)
        let reference = run.ReferenceOf(cell)
        where reference is { Median: not null } && cell.Median is not null && cell.Key.Protocol == reference.Key.Protocol
        from side in new[] { (Name: "server", Metric: Metric.ServerWakeUps), (Name: "client", Metric: Metric.ClientWakeUps) }
        let difference = Difference(run, cell, reference, side.Metric)
        where difference is not null
        group (Cell: cell, Reference: reference, More: Math.Abs(difference.Value)) by (side.Name, side.Metric, cell.Key.Arm) into same
        let most = same.MaxBy(one => one.More)
        orderby most.More descending
        select $"On {most.Cell.Key.Arm} the {same.Key.Name} is woken {Times(most.Cell, same.Key.Metric)} times per call, on "
            + $"{most.Reference.Key.Arm} {Times(most.Reference, same.Key.Metric)} ({Arms.NameOf(run, most.Cell.Workload)}).";

    /// <summary>
    /// Computes the wake-ups per call of the cell minus those of the reference. Null when the difference is undecided
    /// or too small to explain a difference in CPU time.
    /// </summary>
    private static double? Difference(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        var difference = PairedDifference.Compute(run, cell, reference, metric.Value, metric.Id);
        return difference?.Interval is { Low: >= LeastDifference } or { High: <= -LeastDifference }
            && Times(cell, metric) != Times(reference, metric) ? difference!.Ns : null;
    }

    private static string Times(MeasuredCell cell, Metric metric) =>
        TextBuilding.Invariant($"{cell.MedianOf(metric.Value):0.0}");
}
