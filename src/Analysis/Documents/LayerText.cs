using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>Layer budgets as a table, bars and sentences.</summary>
internal static class LayerText
{
    public const string Title = "Layers of a gRPC call (CPU of both sides, with soft interrupts that neither is charged for)";

    public const string Caption =
        "Transport: the CPU of a raw echo of the size. HTTP/2: what bare HTTP/2 takes beyond it. gRPC: what gRPC takes beyond that. "
            + "Waiting: the rest of the latency, while nobody computes. "
        + "An echo carries its bytes both ways, a download one way only: with large sizes the transport's part is an upper bound, and "
        + "HTTP/2's a lower one.";

    private const int Width = 56;

    /// <summary>The parts in the order in which they are drawn.</summary>
    public static IReadOnlyList<(string Name, char Bar, string Css, Func<LayerBudget, LayerPart> Of)> Parts { get; } =
    [
        ("transport", '█', "b k0", budget => budget.Transport),
        ("HTTP/2", '▓', "b k1", budget => budget.Http2),
        ("gRPC", '▒', "b k2", budget => budget.Grpc),
        ("waiting", '·', "band", budget => budget.Rest),
    ];

    public static TextTable Table(MeasuredRun run, IReadOnlyList<LayerBudget> budgets)
    {
        var table = new TextTable(["size", "transport", "call",
            .. Parts.Select(part => part.Name == "transport" ? "its transport" : part.Name), "a free transport"])
        { Words = 2 };
        foreach (var budget in InOrder(budgets))
            table.Add([Arms.NameOf(run, budget.Call.Point), budget.Call.Key.Arm, Quantity.Micros(budget.Total.Ns),
                .. Parts.Select(part => Show(part.Of(budget))), AtMost(budget)]);
        return table;
    }

    /// <summary>One bar a budget, all to one scale; where parts overlap only what was computed is drawn.</summary>
    public static string Bars(MeasuredRun run, IReadOnlyList<LayerBudget> budgets)
    {
        var rows = InOrder(budgets).Select(budget =>
            (Name: $"{Arms.NameOf(run, budget.Call.Point)}  {budget.Call.Key.Arm}", Budget: budget)).ToList();
        var (wide, most) = (rows.Max(row => row.Name.Length), rows.Max(row => Positive(row.Budget).Sum()));
        var lines = rows.Select(row => $"  {row.Name.PadRight(wide)}  {Bar(row.Budget, most)} {Quantity.Micros(row.Budget.Total.Ns)}");
        return string.Join('\n', lines.Append("  " + new string(' ', wide) + "  "
            + string.Join("  ", Parts.Select(part => $"{part.Bar} {part.Name}")))) + "\n";
    }

    /// <summary>One a budget: what a call is made of, and how much a transport could change at all.</summary>
    public static IEnumerable<string> Sentences(MeasuredRun run)
    {
        var budgets = InOrder(LayerBudget.Of(run)).ToList();
        foreach (var budget in budgets)
            yield return $"{Arms.NameOf(run, budget.Call.Point)}, {budget.Call.Key.Arm}: "
                + $"{(budget.Overlaps ? Overlapping(budget) : Apart(budget))}{Unresolved(budget)}.";
        if (budgets.Exists(budget => budget.Overlaps) && run.Record.Host is { ClientCpus: "free", ServerCpus: "free" })
            yield return "With client and server on one CPU nothing overlaps and the parts add up: GrpcBench layers --client-cpus 0 "
                + "--server-cpus 0.";
    }

    private static string Apart(LayerBudget budget)
    {
        var most = budget.MostSpeedup is { } speedup
            ? $"; no transport can make it faster than {speedup.ToString(speedup < 10 ? "0.0#" : "0", CultureInfo.InvariantCulture)} × "
                + $"unless it also spares waiting" : "";
        var rest = budget.Rest.Ns > 0 ? $"the rest ({Bare(budget.Rest)}) is {Waiting(budget)}" : "and nothing is left for waiting";
        return $"of {Quantity.Micros(budget.Total.Ns)} per call the transport is {Bare(budget.Transport)}, HTTP/2 {Bare(budget.Http2)}, "
            + $"gRPC {Bare(budget.Grpc)}, {rest}{most}";
    }

    private static string Overlapping(LayerBudget budget)
    {
        var cpu = budget.Total.Ns - budget.Rest.Ns;
        return $"a call takes {Quantity.Micros(budget.Total.Ns)} and {Quantity.Micros(cpu)} of CPU (transport {Bare(budget.Transport)}, "
            + $"HTTP/2 {Bare(budget.Http2)}, gRPC {Bare(budget.Grpc)}): "
            + $"CPUs compute at the same time, so the parts overlap and none can be called a share of the latency; of the CPU the "
            + $"transport is {Quantity.Percent(budget.Transport.Ns / cpu)}";
    }

    private static string Waiting(LayerBudget budget) => budget.Call.Point is { Connections: 1, Streams: 1 } ? "wake-ups"
        : "waiting for wake-ups and behind other calls";

    private static string Unresolved(LayerBudget budget)
    {
        if (budget.Total.Interval is null)
            return Invariant($"; {budget.Rounds} {(budget.Rounds == 1 ? "round gives" : "rounds give")} no interval, so none of this "
                + $"is sure");
        string[] open = [.. Parts.Where(part => !part.Of(budget).IsResolved && (part.Name != "waiting" || part.Of(budget).Ns > 0))
            .Select(part => part.Name)];
        return open.Length == 0 ? "" : $"; not resolved: {And(open)}";
    }

    private static string Bar(LayerBudget budget, double most)
    {
        var (text, end) = ("", 0.0);
        foreach (var (part, ns) in Parts.Zip(Positive(budget)))
        {
            end += ns;
            text += new string(part.Bar, Math.Max(0, (int)Math.Round(end / most * Width) - text.Length));
        }
        return text;
    }

    internal static IEnumerable<double> Positive(LayerBudget budget) => Parts.Select(part => Math.Max(0, part.Of(budget).Ns));

    internal static IEnumerable<LayerBudget> InOrder(IReadOnlyList<LayerBudget> budgets) => budgets.OrderBy(budget => budget.Call.Key.Size);

    private static string AtMost(LayerBudget budget) =>
        budget.MostSpeedup is { } speedup ? "≤ " + Quantity.Ratio(speedup) : Quantity.None;

    private static string Show(LayerPart part) => part.Interval is { } interval
        ? $"{Quantity.Micros(part.Ns)} [{Bare(interval.Low)}, {Bare(interval.High)}]" : Quantity.Micros(part.Ns);

    private static string Bare(LayerPart part) => Bare(part.Ns);

    // Without a sign where it would round to nothing.
    private static string Bare(double ns) => Quantity.Micros(Math.Abs(ns) < 50 ? 0 : ns).Replace(" µs", "", StringComparison.Ordinal);
}
