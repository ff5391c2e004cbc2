using System.Globalization;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;
using static System.FormattableString;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Describes the plan in one line. Further lines warn if the plan cannot name a winner or takes an hour or more.
/// </summary>
internal static class PlanText
{
    /// <param name="width">Columns of the terminal. Null means no limit.</param>
    public static IEnumerable<string> Lines(BenchPlan plan, int? width) =>
        new[] { First(plan, width), TooFew(plan), Long(plan) }
            .Where(line => line.Length > 0);

    // On a narrow terminal the line leaves out the names of the arms, which the report's table has too, and keeps the duration.
    private static string First(BenchPlan plan, int? width) =>
        new[] { true, false }.Select(named => $"{Cells(plan, named)}; {Rounds(plan)}")
            .FirstOrDefault(line => width is null || line.Length <= width) ?? $"{Cells(plan, false)}; {Rounds(plan)}";

    /// <summary>Describes the rounds, the warm-up and the threads, which affect the measured numbers.</summary>
    public static string Details(RunOptions options) =>
        Invariant($"{RoundLine(options)}; every cell is warmed up for {options.Warmup.TotalSeconds:0.###} s{OfTheServer(options)}; ")
            + Quantity.Many(options.Threads, "thread");

    private static string Cells(BenchPlan plan, bool named)
    {
        var arms = plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct().ToList();
        var names = named && arms.Count <= 4 ? $" ({string.Join(", ", arms)})" : "";
        (int Count, string Name)[] factors =
        [
            (plan.Cells.Select(cell => cell.Record.Key.Size).Distinct().Count(), "size"),
            (plan.Cells.Select(cell => (cell.Record.Key.Connections, cell.Record.Key.Streams)).Distinct().Count(), "shape"),
            (plan.Options.Loads.Count + 1, "load"),
        ];
        var product = string.Concat(factors.Where(factor => factor.Count > 1)
            .Select(factor => $" × {Quantity.Many(factor.Count, factor.Name)}"));
        var cells = Quantity.Many(plan.Cells.Count, "cell");
        // Shapes may have sizes of their own. Then the product is not the number of cells.
        return factors.Aggregate(arms.Count, (all, factor) => all * factor.Count) == plan.Cells.Count
            ? $"{Quantity.Many(arms.Count, "arm")}{names}{product}: {cells}" : $"{cells} of {Quantity.Many(arms.Count, "arm")}{names}";
    }

    private static string Rounds(BenchPlan plan)
    {
        var options = plan.Options;
        if (options.RoundsAuto)
            return $"rounds until decided, at most {LeftText.Span(options.MaxTime)}";
        var rounds = options.Resume is { } resume ? Quantity.Many(resume.More, "more round") : Quantity.Many(options.Rounds, "round");
        var later = string.Concat(plan.Phases.Skip(1).Where(phase => phase.VariesRate || phase.Rounds > plan.FirstRounds)
            .Select(phase => Invariant($", {phase.Rounds} {phase.Name}")));
        return plan.Estimate is { } estimate
            ? Invariant($"{rounds} of {options.Duration.TotalSeconds:0.###} s per cell{later}")
                + (estimate < options.MaxTime ? ", about " + LeftText.Span(estimate) : "")
                + (options.MaxTime < TimeSpan.MaxValue ? $", at most {LeftText.Span(options.MaxTime)}" : "")
            : Invariant($"{rounds} of {options.Calls:#,0} calls");
    }

    private static string RoundLine(RunOptions options)
    {
        var connections = string.Join(", ", options.Topologies.Select(topology => topology.Connections).Distinct()
            .Select(count => count.ToString(CultureInfo.InvariantCulture)));
        return Invariant($"a round measures each cell once, in an order from seed {options.Seed}; {connections} ")
            + (connections == "1" ? "connection" : "connections");
    }

    /// <summary>Returns a line for a plan whose rounds cannot name a winner. Empty for other plans.</summary>
    private static string TooFew(BenchPlan plan) => plan.Options.RoundsAuto || plan.Options.Rounds >= plan.FewestRounds ? ""
        : Invariant($"{Quantity.Many(plan.Options.Rounds, "round")} cannot name a winner: an interval needs {plan.FewestRounds} ")
            + Invariant($"(-r {plan.FewestRounds})");

    /// <summary>
    /// Returns a line that tells how to shorten a plan of an hour or more. A user may not know that <c>-d 300</c>
    /// means 300 s. Empty for other plans.
    /// </summary>
    private static string Long(BenchPlan plan) =>
        plan.Estimate < TimeSpan.FromHours(1) || plan.Options.MaxTime < TimeSpan.FromHours(1) || plan.Estimate is null ? ""
            : "for a shorter run: -d 300ms (-d 300 means 300 s) or a smaller -r; Ctrl-C keeps the rounds";

    private static string OfTheServer(RunOptions options) => ServerWarmup.OfEachServer(options) is { Ticks: > 0 } time
        ? Invariant($", each server for {time.TotalSeconds:0.###} s before {(options.FreshServers ? "its" : "the first")} round") : "";
}
