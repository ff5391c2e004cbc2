using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The answers of a run in words: the fastest arm of each workload, its lead, the CPU that it saves, and the undecided
/// comparisons.
/// </summary>
public static class Answers
{
    /// <summary>Lists the sentences of the answer: on workloads and the whole run, or on each metric for a run of <c>ab</c>.</summary>
    public static IReadOnlyList<string> For(MeasuredRun run) => BuildComparison.From(run) is { Sides: var sides }
        ? [.. Between(sides)]
        : [.. Concurrency.Lines(run), .. OfWorkloads(run).Select(answer => answer.Sentence), .. OfRun(run)];

    /// <summary>Lists the sentences about two files, or about the two sides of a run of <c>ab</c>.</summary>
    internal static IEnumerable<string> Between(FileComparison comparison) =>
        [.. CompareSummary.Sentences(comparison, FileComparison.Shown), .. RateSearchSentences.Compared(comparison)];

    /// <summary>Lists the answer for each group of competing arms (<c>Arms.Choices</c>). Empty for a run of layers.</summary>
    internal static IEnumerable<WorkloadAnswer> OfWorkloads(MeasuredRun run) => IsOfLayers(run) ? [] : Arms.ByWorkload(run)
        .SelectMany(workload => Arms.Choices([.. workload], cell => cell.Key))
        .Select(arms => arms.Count > 1 ? OfArms(run, arms) : new WorkloadAnswer(arms, Alone(run, arms[0])));

    /// <summary>Lists the answers about the whole run.</summary>
    internal static IEnumerable<string> OfRun(MeasuredRun run) => IsOfLayers(run)
        ? [.. LayerText.Sentences(run), .. WakeUps.Lines(run).Take(1)]
        : [.. RateSearchSentences.Lines(run), .. Savings.Lines(run), .. BreakEven.Lines(run), .. Crossover.Lines(run),
            .. AaPassed(run), .. ProfileSection.Line(run) is { } line ? [line] : Array.Empty<string>()];

    // The purpose of a run of layers is the cost of each layer, so its answer is about layers and names no fastest arm.
    internal static bool IsOfLayers(MeasuredRun run) => LayerText.Sentences(run).Any();

    /// <summary>The text for a cell without latencies: see <see cref="MeasuredCell.IsUntimed"/>.</summary>
    internal const string Untimed = "the latency of a message is not known";

    /// <summary>Writes the results of an arm that is alone in its group (<c>Arms.Choices</c>).</summary>
    private static string Alone(MeasuredRun run, MeasuredCell cell)
    {
        var median = cell.Median!;
        var total = Metric.TotalCpu.Value(median) is not null ? Metric.TotalCpu : Metric.ClientCpu;
        if (cell.IsUntimed)
            return $"{Arms.NameOf(run, cell.Workload)}: {cell.Key.Arm} carries {cell.Show(Metric.Rate)} {RateUnit(cell)} for "
                + $"{cell.Show(total)} of {total.Title.Replace(" CPU/call", "", StringComparison.Ordinal)} CPU each; {Untimed}.";
        var cpu = total.Title.Replace(" CPU/call", "", StringComparison.Ordinal);
        string Named(Metric metric, string before, string after) =>
            cell.Show(metric) is var text && text == Quantity.None ? "" : before + text + after;
        // At a given load, the rate is the requested rate and not a result.
        if (!cell.Key.IsFullLoad)
        {
            string[] percentiles = [Named(Metric.P50, "", " (p50)"), Named(Metric.P99, "", " (p99)")];
            var within = string.Join(" and ", percentiles.Where(text => text.Length > 0));
            return $"{Arms.NameOf(run, cell.Workload)}: at {cell.Show(Metric.Rate)} {RateUnit(cell)} {cell.Key.Arm} answers"
                + (within.Length > 0 ? " within " + within : "") + Named(total, ", for ", $" of {cpu} CPU a call") + ".";
        }
        return $"{Arms.NameOf(run, cell.Workload)}: {cell.Key.Arm} answers {cell.Show(Metric.Rate)} {RateUnit(cell)}"
            + Named(Metric.Mean, ", mean latency ", "") + Named(total, ", ", $" of {cpu} CPU a call") + ".";
    }

    internal static string RateUnit(MeasuredCell cell) => cell.Key.IsOfMessages ? "messages/s" : Metric.Rate.Title;

    private static WorkloadAnswer OfArms(MeasuredRun run, IReadOnlyList<MeasuredCell> arms)
    {
        var ranked = Arms.Ranked(arms);
        // An arm's median rate may come from a round in which every arm was fast. So the first place goes to the best-ranked
        // arm that no other arm beats in pairs of rounds.
        if (ranked.Find(arm => Best(run, ranked, arm) is null) is { } first)
            ranked = [first, .. ranked.Where(arm => arm != first)];
        var name = Arms.NameOf(run, arms[0].Workload);
        var rivals = ranked.Skip(1).Select(other => new Rival(other, Between(run, ranked[0], other))).ToList();
        var beaten = rivals.Select(rival => rival.Comparison).OfType<ArmComparison>().Where(IsAhead).ToList();
        // A rival that is not clearly behind the first arm may be as good as the first arm, unless another arm is ahead
        // of the rival.
        var behind = rivals.Where(rival => !IsAhead(rival.Comparison))
            .Select(rival => Best(run, ranked.Skip(1), rival.Cell)).OfType<ArmComparison>().ToList();
        var open = rivals.Where(rival => !IsAhead(rival.Comparison)
            && !behind.Exists(comparison => comparison.Reference == rival.Cell)).ToList();
        if (beaten.Count == 0)
            return new WorkloadAnswer(arms, $"{name}: {Undecided(run, ranked[0], open)}{string.Concat(
                behind.Select(comparison => $"; {Ahead(run, comparison, isNamed: false)}{Reserve(run, comparison)}"))}.");
        var main = beaten.Find(c => c.Reference == run.ReferenceOf(ranked[0])) ?? beaten[0];
        var lead = ranked[0].Key.Arm + (open.Count == 0 ? $" is {Fastest(main.Metric)}" : " leads");
        var rest = open.Count == 0 ? "" : $"; {Undecided(run, ranked[0], open)}";
        return new WorkloadAnswer(arms, $"{name}: {lead}: {Ahead(run, main, isNamed: true)}{Reserve(run, main)}"
            + $"{Saved(run, main.AgainstReference(run))}{rest}.",
            open.Count == 0 ? main : null);
    }

    /// <summary>Whether the verdict says that the arm is ahead, and that its lead is not too little to matter.</summary>
    private static bool IsAhead(ArmComparison? comparison) => comparison is { IsBetter: true, Verdict.IsTooLittle: false };

    private static ArmComparison? Between(MeasuredRun run, MeasuredCell cell, MeasuredCell other) =>
        ArmComparison.Compare(run, cell, other, ArmComparison.Headline(cell));

    /// <summary>Returns the comparison of the first of these arms that is ahead of the cell. Null when no arm is ahead.</summary>
    private static ArmComparison? Best(MeasuredRun run, IEnumerable<MeasuredCell> arms, MeasuredCell cell) =>
        arms.Where(arm => arm != cell).Select(arm => Between(run, arm, cell)).FirstOrDefault(IsAhead);

    /// <summary>Says which arm is ahead, as a change against the reference if one of the two arms is the reference of the other.</summary>
    private static string Ahead(MeasuredRun run, ArmComparison comparison, bool isNamed)
    {
        var shown = comparison.AgainstReference(run);
        var who = isNamed && shown == comparison ? "" : shown.Cell.Key.Arm + " is ";
        return who + VerdictText.Against(shown.Verdict, shown.Metric, shown.Reference.Key.Arm);
    }

    /// <summary>Names the doubts about these ratios, in brackets. Empty when there are no doubts.</summary>
    internal static string Reserve(MeasuredRun run, params IEnumerable<ArmComparison> comparisons) =>
        DoubtsOf(run, comparisons) is { Length: > 0 } doubts ? $" ({doubts})" : "";

    /// <summary>Names the doubts about these ratios, without brackets. Empty when there are no doubts.</summary>
    internal static string DoubtsOf(MeasuredRun run, IEnumerable<ArmComparison> comparisons)
    {
        var doubts = comparisons.Select(one => Doubt.OfRatio(run, one.Cell, one.Reference)).OfType<string>().Distinct().ToList();
        return doubts.Count == 0 ? "" : $"doubt: {And(doubts)}";
    }

    private static string Undecided(MeasuredRun run, MeasuredCell first, List<Rival> open)
    {
        var (alike, largest) = (new List<MeasuredCell> { first }, 0.0);
        foreach (var (cell, _) in open)
        {
            // An arm joins the list only if its verdict against every arm of the list is "equal" (Verdict.IsEqual).
            var pairs = alike.ConvertAll(other => Between(run, other, cell)?.Verdict);
            if (!pairs.TrueForAll(verdict => verdict is { IsEqual: true }))
                continue;
            alike.Add(cell);
            largest = Math.Max(largest, pairs.Max(verdict => verdict!.LargestDifference));
        }
        var unknown = open.Where(rival => !alike.Contains(rival.Cell)).ToList();
        var parts = new List<string>();
        if (alike.Count == 2 && open.Find(rival => rival.Cell == alike[1])?.Comparison is { Verdict.IsTooLittle: true } little)
            parts.Add($"{Ahead(run, little, isNamed: false)}{Reserve(run, little)}");
        else if (alike.Count > 1)
            parts.Add($"{VerdictText.Within(largest)} between {And([.. alike.Select(cell => cell.Key.Arm)])}");
        if (unknown.Count > 0)
            parts.Add($"not decided between {And([first.Key.Arm, .. unknown.Select(rival => rival.Cell.Key.Arm)])}: "
                + Known(run, first, unknown));
        return string.Join("; ", parts);
    }

    /// <summary>
    /// Says what the run shows although the winner is undecided: the bounds of the difference from the nearest rival, and
    /// the CPU per call.
    /// </summary>
    private static string Known(MeasuredRun run, MeasuredCell first, List<Rival> unknown)
    {
        if (unknown.Find(rival => rival.Comparison is not null)?.Comparison is not { } nearest)
            return ArmComparison.Headline(first) == Metric.Rate ? "there is no round in which both arms answered a call"
                : first.IsUntimed ? Untimed + string.Concat(unknown.Select(rival => Cost(run, first, rival.Cell)))
                : $"in no round do both arms have enough calls for a {ArmComparison.Headline(first).Title} "
                    + $"(the {ArmComparison.Headline(first).Title} in the table is of all rounds)";
        nearest = nearest.AgainstReference(run);
        // The arms are named only with bounds, whose sign depends on the order of the arms. A withheld verdict has no bounds.
        var pair = nearest.Verdict is { Estimate.Interval: null } or { Withheld.Length: > 0 } ? ""
            : $"{nearest.Cell.Key.Arm} against {nearest.Reference.Key.Arm} ";
        return $"{pair}{VerdictText.Open(nearest.Verdict, nearest.Metric)}{string.Concat(
            unknown.Select(rival => Cost(run, first, rival.Cell)))}";
    }

    /// <summary>Says the difference in CPU per call. Empty when the difference is undecided or too small to matter.</summary>
    private static string Cost(MeasuredRun run, MeasuredCell first, MeasuredCell other)
    {
        if (CostOf(run, first, other) is not { } cost)
            return "";
        var shown = cost.AgainstReference(run);
        return $"; {shown.Cell.Key.Arm} takes {VerdictText.Size(shown.Verdict)} {(shown.IsBetter ? "less" : "more")} CPU a call than "
            + shown.Reference.Key.Arm + Reserve(run, shown);
    }

    /// <summary>
    /// Compares the CPU per call of two cells in pairs of rounds. Null when the difference is undecided or too small to matter.
    /// </summary>
    internal static ArmComparison? CostOf(MeasuredRun run, MeasuredCell cell, MeasuredCell other) =>
        ArmComparison.Compare(run, cell, other, ArmComparison.Cost(cell, other)) is { Verdict.IsTooLittle: false } cost
            && (cost.IsBetter || cost.IsWorse) ? cost : null;

    /// <summary>Says how much CPU per call the compared cell saves or costs. Empty when this is undecided or too small to matter.</summary>
    private static string Saved(MeasuredRun run, ArmComparison main)
    {
        if (CostOf(run, main.Cell, main.Reference) is not { } cost)
            return "";
        var (change, what) = cost.IsBetter ? ("saves", "of the CPU of a call") : ("costs", "more CPU a call");
        return $", and {change} {VerdictText.Size(cost.Verdict)} {what} ({cost.Metric.Title.Replace(" CPU/call", "",
            StringComparison.Ordinal)}: {cost.Reference.Show(cost.Metric)} → {cost.Cell.Show(cost.Metric)})";
    }

    private static string Fastest(Metric metric) => metric == Metric.Rate ? "fastest" : $"best by {metric.Title}";

    private static IEnumerable<string> AaPassed(MeasuredRun run)
    {
        if (AaTest.Compute(run) is not { Failed: false, CanFail: true, Shift: not null } test)
            return [];
        return [test.Sentence(run.Record.Options.Reference, run.Record.Options.Delta, Quantity.Many(test.Cells, "cell"))];
    }

    private sealed record Rival(MeasuredCell Cell, ArmComparison? Comparison);
}

/// <summary>
/// Sentences that say at which sizes an arm is faster than its reference, and at which sizes slower. Only differences that
/// are decided and not too small to matter count. The sentences name the doubts about these verdicts.
/// </summary>
internal static class Crossover
{
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Key.IsFullLoad && !AaTest.IsAa(cell.Key)
        group cell by (cell.Key.Arm, cell.Key.ServerWork, cell.Key.Connections, cell.Key.Streams) into arm
        let line = LineOf(run, [.. arm.OrderBy(cell => cell.Key.Size)])
        where line is not null
        select line;

    private static string? LineOf(MeasuredRun run, List<MeasuredCell> sizes)
    {
        var stretches = new List<List<ArmComparison>>(); // neighbouring sizes with the same winner
        var isBroken = true;
        foreach (var comparison in sizes.Select(cell => ArmComparison.OfHeadline(run, cell)))
        {
            // A size without a decided winner ends the current stretch and belongs to no stretch.
            if (comparison is null or { IsBetter: false, IsWorse: false } or { Verdict.IsTooLittle: true })
            {
                isBroken = true;
                continue;
            }
            if (!isBroken && stretches[^1][^1].IsBetter == comparison.IsBetter)
                stretches[^1].Add(comparison);
            else
                stretches.Add([comparison]);
            isBroken = false;
        }
        if (stretches.Select(stretch => stretch[0].IsBetter).Distinct().Count() < 2)
            return null;
        var parts = stretches.Select((stretch, i) =>
            $"{Winner(stretch[0])} {(i == 0 ? "is faster " : "")}{Where(stretch, sizes)}{Answers.Reserve(run, stretch)}");
        var where = sizes[0].Workload with { Size = 0 } is var workload
            && run.Cells.Any(c => c.Workload with { Size = 0 } != workload && c.Key.IsFullLoad)
            ? TextBuilding.Invariant($" at {workload.Connections} connections × {workload.Streams}{OfWork(workload.ServerWork)}") : "";
        return $"Crossover{where}: {string.Join(", ", parts)}.";
    }

    // No winner is known beyond the decided sizes. So "up to" needs a winner at the smallest measured size, and "from"
    // a winner at the largest.
    private static string Where(List<ArmComparison> stretch, List<MeasuredCell> sizes)
    {
        var (first, last) = (stretch[0].Cell, stretch[^1].Cell);
        var (from, to) = (Quantity.Size(first.Key.Size), Quantity.Size(last.Key.Size));
        return first == sizes[0] && first != last ? $"up to {to}" : last == sizes[^1] && first != last ? $"from {from}"
            : from == to ? $"at {from}" : $"from {from} to {to}";
    }

    private static string OfWork(string work) => work.Length == 0 ? "" : $", work {work}";

    private static string Winner(ArmComparison comparison) => comparison.IsBetter ? comparison.Cell.Key.Arm : comparison.Reference.Key.Arm;
}
