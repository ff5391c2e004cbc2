using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>The layers of calls as a table, bars and sentences.</summary>
internal static class LayerText
{
    public const string Title = "Layers of a gRPC call: what each layer adds to the layer below, compared within each round";

    /// <summary>The caption of the table of CPU times.</summary>
    public const string OfCpu = "CPU time of both sides per call, with soft interrupts that are charged to neither";

    private const string Undecided = "not decided";
    private const int Width = 56;
    private const string Shades = "█▓▒░:";

    /// <summary>Explains the table and its numbers.</summary>
    public static string Caption(IReadOnlyList<LayerBudget> budgets)
    {
        var what = budgets.All(budget => budget.IsTime)
            ? "Time of a call, with one call in flight."
            : OfCpu + ".";
        var floor = budgets.Any(HasFloor)
            ? " (an echo from an event loop: the cost of the kernel and of this client)" : "";
        var children = budgets.Any(IsOfChild)
            ? " The first figure of shm is an echo through the ring. For stdio and socketpair the row .NET sockets is the change from "
                + "the event loop to a thread that blocks in each read." : "";
        return $"{what} In µs. The first figure of a column includes all layers below{floor}.{children} \"{Undecided}\": the interval "
            + "contains 0. An echo carries its bytes both ways, a download only one way: with large sizes the steps below "
            + "HTTP/2 are upper bounds, and the step of HTTP/2 is a lower bound.";
    }

    /// <summary>
    /// Makes a table with a row per layer and a column per transport, from the wire up to the whole call. A layer that
    /// no transport has is left out.
    /// </summary>
    public static TextTable Table(MeasuredRun run, IReadOnlyList<LayerBudget> budgets)
    {
        var arms = budgets.Select(budget => budget.Call.Key.Arm).Distinct().ToList();
        var table = new TextTable(["size", "layer", .. arms]) { Words = 2 };
        foreach (var workload in InOrder(budgets).GroupBy(budget => budget.Call.Workload))
        {
            void Add(string name, Func<LayerBudget, LayerPart?> part) => table.Add([Arms.NameOf(run, workload.Key), name,
                .. arms.Select(arm =>
                    workload.FirstOrDefault(budget => budget.Call.Key.Arm == arm) is { } budget && part(budget) is { } found
                    ? Show(found) : Quantity.None)]);
            foreach (var layer in Layers(workload))
                Add(layer.Short, budget => budget.Steps.FirstOrDefault(step => step.Layer == layer)?.Part);
            Add("call", budget => budget.Total);
        }
        return table;
    }

    /// <summary>Draws a bar for each call from the steps of <see cref="Drawn"/>. All bars have the same scale.</summary>
    /// <param name="scale">The length of the longest bar, as a share of the usual length.</param>
    public static string Bars(MeasuredRun run, IReadOnlyList<LayerBudget> budgets, double scale)
    {
        var rows = InOrder(budgets).Select(budget =>
            (Name: $"{Arms.NameOf(run, budget.Call.Workload)}  {budget.Call.Key.Arm}", Budget: budget)).ToList();
        var (wide, most) = (rows.Max(row => row.Name.Length), Longest(budgets) / scale);
        var lines = rows.Select(row => $"  {row.Name.PadRight(wide)}  {Bar(row.Budget, most)} {Quantity.Micros(row.Budget.Total.Ns)}");
        return string.Join('\n', lines.Append("  " + new string(' ', wide) + "  "
            + string.Join("  ", Layers(budgets).Select(layer => $"{Shade(layer)} {layer.Short}")))) + "\n";
    }

    /// <summary>
    /// Writes one sentence for each arm and number of connections and streams, about the smallest size: the layers of a call, or
    /// what each layer saves or costs against the reference. A last sentence warns if the kernel's part includes wake-ups.
    /// </summary>
    public static IEnumerable<string> Sentences(MeasuredRun run)
    {
        var firsts = (from budget in InOrder(LayerBudget.Compute(run))
                      group budget by (budget.Call.Key.Arm, budget.Call.Workload.Connections, budget.Call.Workload.Streams) into transport
                      select transport.First()).ToList();
        foreach (var first in firsts)
        {
            yield return $"{Arms.NameOf(run, first.Call.Workload)}, {first.Call.Key.Arm}: "
                + (first.Total.Interval is null ? Few(first) : first.Reference is null ? MadeOf(first)
                    : Against(first)) + ".";
        }
        if (run.Record.Host.ServerCpus == "free" && firsts.Exists(SleepsLongest))
        {
            yield return "The kernel's part includes the wake-up of a CPU for each message: the echo's only thread sleeps between "
                + "messages, but the threads of the layers above look for work before they sleep. --client-cpus 0 --server-cpus 0 "
                + "avoids these wake-ups.";
        }
    }

    internal static IEnumerable<Layer> Layers(IEnumerable<LayerBudget> budgets) =>
        Layer.All.Where(layer => budgets.Any(budget => budget.Steps.Any(step => step.Layer == layer)));

    internal static IEnumerable<LayerBudget> InOrder(IReadOnlyList<LayerBudget> budgets) => budgets.OrderBy(budget => budget.Call.Key.Size);

    /// <summary>Returns the steps that can be drawn: larger than 0, and decided or without an interval.</summary>
    internal static IEnumerable<LayerStep> Drawn(LayerBudget budget) =>
        budget.Steps.Where(step => step.Part.Ns > 0 && (step.Part.IsDecided || step.Part.Interval is null));

    /// <summary>
    /// Computes the length of the longest bar in ns. Steps below 0 are not drawn, so a bar may be longer than the call.
    /// </summary>
    internal static double Longest(IEnumerable<LayerBudget> budgets) =>
        budgets.Max(budget => Math.Max(budget.Total.Ns, Drawn(budget).Sum(step => step.Part.Ns)));

    private static bool HasFloor(LayerBudget budget) => budget.Steps[0].Layer == Layer.All[0] && !IsOfRing(budget);

    private static bool IsOfRing(LayerBudget budget) => budget.Call.Key.Transport == "shm";

    private static bool IsOfChild(LayerBudget budget) => IsOfRing(budget) || budget.Call.Key.Transport is "stdio" or "socketpair";

    /// <summary>Names a layer above the lowest, and the layers that a comparison includes in it.</summary>
    private static string NameOf(LayerBudget budget, LayerStep step) =>
        (IsOfChild(budget) && step.Layer == Layer.All[1] ? "the change to a blocking read" : step.Layer.Name)
            + (step.Included.Count == 0 ? "" : $" (with {And([.. step.Included.Select(layer => layer.Name)])})");

    /// <summary>Whether the echo of the lowest layer (one thread) takes longer than that of the next layer (several threads).</summary>
    private static bool SleepsLongest(LayerBudget budget) =>
        budget.IsTime && HasFloor(budget) && !IsOfChild(budget) && budget.Steps[1].Part is { IsDecided: true, Ns: < 0 };

    private static char Shade(Layer layer) => Shades[Layer.All.ToList().IndexOf(layer)];

    private static string Few(LayerBudget budget) =>
        Invariant($"{budget.Rounds} {(budget.Rounds == 1 ? "round is" : "rounds are")} too few for an interval: ")
            + "the layers of this call are unknown";

    private static string MadeOf(LayerBudget budget)
    {
        var steps = budget.Steps.Select((step, i) => (Name: i == 0 ? Below(budget) : NameOf(budget, step), step.Part)).ToList();
        string[] parts = [.. steps.Where(step => step.Part.IsDecided).Select(step => $"{step.Name} {Bare(step.Part.Ns)}")];
        return parts.Length == 0 ? $"no layer of {Whole(budget)} is decided"
            : $"of {Whole(budget)} {And(parts)}{Open(steps)}";
    }

    private static string Against(LayerBudget budget)
    {
        var (arm, other, whole) = (budget.Call.Key.Arm, budget.Reference!.Call.Key.Arm, budget.Saving!);
        if (!whole.IsDecided && !budget.Savings.Any(step => step.Part.IsDecided))
            return $"the difference to {other} is undecided in every layer and for the whole call";
        var steps = budget.Savings.Select(step => (Name: NameOf(budget, step), step.Part)).ToList();
        var floor = steps[0].Part;
        var first = !floor.IsDecided ? $"{In(budget)} no difference to {other} is decided"
            : floor.Ns > 0 ? $"{In(budget)} {arm} saves {Bare(floor.Ns)} µs of {other}'s {Bare(budget.Reference.Steps[0].Part.Ns)}"
            : $"{In(budget)} {arm} costs {Bare(-floor.Ns)} µs more than {other}'s {Bare(budget.Reference.Steps[0].Part.Ns)}";
        var gives = floor.IsDecided && floor.Ns > 0;
        string[] more = [.. steps.Skip(1).Where(step => step.Part.IsDecided).Select(step => step.Part.Ns > 0
            ? $"{Does(step.Name, "save")} {Bare(step.Part.Ns)}{(gives ? " more" : "")}"
            : $"{Does(step.Name, "cost")} {Bare(-step.Part.Ns)} more")];
        var end = whole.IsDecided
            ? $"for the whole call ({Bare(budget.Reference.Total.Ns)} on {other}), {arm} {(whole.Ns > 0 ? "saves" : "costs")} "
                + $"{Bare(Math.Abs(whole.Ns))}{(whole.Ns > 0 ? "" : " more")}"
            : "for the whole call no difference in time is decided";
        return string.Join("; ", [first, .. more, end]) + Open([.. steps.Skip(1)]);
    }

    private static string Does(string layer, string verb) =>
        $"{layer} {verb}{(layer.StartsWith(".NET's sockets", StringComparison.Ordinal) ? "" : "s")}";

    private static string In(LayerBudget budget) => budget.Savings[0].Layer != Layer.All[0] ? $"up to {budget.Savings[0].Layer.Name}"
        : IsOfRing(budget) || IsOfRing(budget.Reference!) ? "in the lowest layer (the ring of shm, else the kernel)" : "in the kernel";

    private static string Below(LayerBudget budget) => HasFloor(budget) ? budget.Steps[0].Layer.Name
        : IsOfRing(budget) && budget.Steps[0].Layer.Protocol == "echo" && budget.Steps[0].Layer.Sockets.Length > 0 ? "the ring"
        : $"everything up to {budget.Steps[0].Layer.Name}";

    private static string Open(IReadOnlyList<(string Name, LayerPart Part)> steps)
    {
        string[] open = [.. steps.Where(step => !step.Part.IsDecided).Select(step => step.Name)];
        return open.Length == 0 ? "" : $"; {Undecided}: {And(open)}";
    }

    private static string Whole(LayerBudget budget) => Quantity.Micros(budget.Total.Ns) + (budget.IsTime ? " a call" : " of CPU a call");

    private static string Bar(LayerBudget budget, double most)
    {
        var (text, end) = ("", 0.0);
        foreach (var step in Drawn(budget))
        {
            end += step.Part.Ns;
            text += new string(Shade(step.Layer), Math.Max(0, (int)Math.Round(end / most * Width) - text.Length));
        }
        return text;
    }

    private static string Show(LayerPart part) => part switch
    {
        { Interval: null } => Bare(part.Ns),
        { IsDecided: true, Interval: { } interval } => $"{Bare(part.Ns)} [{Bare(interval.Low)}, {Bare(interval.High)}]",
        { Interval: { } interval } => $"{Undecided}, ≤ {Bare(interval.High)}",
        _ => Quantity.None,
    };

    private static string Bare(double ns) => Quantity.BareMicros(ns);
}
