using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Whether a run is worse than another by more than is allowed. Of each limit and cell there are three outcomes: the whole interval is
/// inside (passed), it is outside (crossed), or it reaches beyond (not excluded).
/// </summary>
/// <param name="Passed">How many limits and cells passed.</param>
/// <param name="Crossed">Limits crossed with the whole interval, and what is beyond every limit, as sentences.</param>
/// <param name="NotExcluded">Limits that the interval reaches, or of which there is none, as sentences.</param>
/// <param name="Missing">What was not measured to its end: cells, rounds, runs; as sentences.</param>
public sealed record Gate(int Passed, IReadOnlyList<string> Crossed, IReadOnlyList<string> NotExcluded, IReadOnlyList<string> Missing)
{
    private const double MostMore = 2;

    /// <summary>Whether to fail; strictly: also for what is not excluded.</summary>
    public bool Fails(bool strict) => Crossed.Count + Missing.Count > 0 || strict && NotExcluded.Count > 0;

    /// <summary>
    /// Holds every cell that both runs have against every limit. The intervals hold for all of them at once, so that of equal runs at most
    /// one in twenty crosses any limit, however many there are.
    /// </summary>
    public static Gate Of(FileComparison runs, IReadOnlyList<GateLimit> limits)
    {
        var comparison = runs.For(limits);
        var (crossed, open, missing, passed) = (new List<string>(), new List<string>(), new List<string>(), 0);
        NamedRun[] files = comparison.IsPaired ? [comparison.After with { Name = "the run" }] : [comparison.Before, comparison.After];
        foreach (var file in files.Where(file => file.Run.Record.Ending != "complete"))
            missing.Add($"{file.Name} is not complete ({file.Run.Record.Ending})");
        if (comparison.Cells.Count == 0)
            missing.Add($"{comparison.Before.Name} and {comparison.After.Name} have no cell in common");
        foreach (var key in comparison.OnlyBefore)
            missing.Add($"{key.Arm}, {Arms.NameOf(comparison.Before.Run, Workload.Of(key))} is in {comparison.Before.Name} alone");
        foreach (var (before, after) in comparison.Cells)
            JudgeFailures(comparison, before, after, crossed);
        foreach (var limit in limits)
        {
            foreach (var (before, after) in comparison.Cells)
                passed += Judge(comparison, limit, before, after, crossed, open) ? 1 : 0;
        }
        return new Gate(passed, crossed, open, missing);
    }

    /// <summary>
    /// Calls that fail now and did not before are worse than any limit, and so are certainly more than twice as many: a broken server must
    /// not pass for want of numbers.
    /// </summary>
    private static void JudgeFailures(FileComparison comparison, MeasuredCell before, MeasuredCell after, List<string> crossed)
    {
        var where = $"{after.Key.Arm}, {Arms.NameOf(comparison.After.Run, after.Workload)}";
        var silent = after.Rounds.Count(round => round.Record.Completed == 0);
        if (silent > 0 && before.Rounds.All(round => round.Record.Completed > 0))
            crossed.Add(TextBuilding.Invariant($"{where}: nothing was completed in {silent} of {after.Rounds.Count} rounds"));
        else if (Lost(before) == 0 && Lost(after) is > 0 and var lost)
            crossed.Add(TextBuilding.Invariant($"{where}: {lost} calls failed or were cut off, none before"));
        else if (Started(after) * (double)Lost(before) * MostMore < Started(before) * (double)Lost(after)
            && RankSum.Estimate(ShareLost(before), ShareLost(after)) > 0
            && RankSum.PValue(ShareLost(before), ShareLost(after)) <= comparison.Alpha)
        {
            crossed.Add(TextBuilding.Invariant($"{where}: {Lost(after)} of {Started(after)} calls failed or were cut off, ")
                + TextBuilding.Invariant($"{Lost(before)} of {Started(before)} before"));
        }
    }

    private static long Lost(MeasuredCell cell) => cell.Rounds.Sum(round => Lost(round));

    private static long Lost(RoundMetrics round) => round.FailedCalls + round.Record.CutOff;

    private static long Started(MeasuredCell cell) => cell.Rounds.Sum(round => round.Record.Started);

    private static List<double> ShareLost(MeasuredCell cell) =>
        [.. cell.Rounds.Select(round => Lost(round) / (double)Math.Max(1, round.Record.Started))];

    /// <summary>Whether the limit is passed; else a sentence says why not.</summary>
    private static bool Judge(FileComparison comparison, GateLimit limit, MeasuredCell before, MeasuredCell after, List<string> crossed,
        List<string> open)
    {
        var estimate = comparison.Estimate(before, after, limit.Metric);
        var where = $"{limit.Text} for {after.Key.Arm}, {Arms.NameOf(comparison.After.Run, after.Workload)}";
        if (estimate == null)
            return JudgeZeros(comparison, limit, before, after, where, crossed, open);
        // Whose larger values would lie beyond the limit, and whose within it.
        var (worse, better) = limit.Below ? (before, after) : (after, before);
        var isCrossed = limit.IsCrossed(estimate) == true;
        var side = isCrossed ? better : worse;
        // Rounds of value 0 are in no ratio: those of the side that is to be the smaller one would only add to it.
        if (estimate.LeftOut > 0 && (!isCrossed || worse.Values(limit.Metric).Contains(0)))
            open.Add($"{where}: {VerdictText.Of(Verdict.Of(estimate, 0), limit.Metric)}");
        else if (limit.Metric.IsBound(side.Rounds))
            open.Add($"{where}: {ArmComparison.OnlyBound(limit.Metric, (side == after ? comparison.After : comparison.Before).Name)}");
        else if (isCrossed)
            crossed.Add($"{where}: {limit.Metric.Title} changed by {Change(estimate)}");
        else if (estimate.Interval is not { } interval)
            open.Add(TextBuilding.Invariant($"{where}: cannot tell with {estimate.Rounds} rounds, at least {estimate.FewestRounds} in ")
                + $"{(comparison.IsPaired ? "common" : "both files")} are needed");
        else if (limit.IsExcluded(interval))
            return true;
        else
            open.Add($"{where}: {limit.Metric.Title} changed by {Change(estimate)}; these {(comparison.IsPaired ? "rounds" : "files")} "
                + $"could show a change of {Quantity.Change(limit.Shown(estimate.Ratio, interval))} and beyond{ByDrift(estimate)}");
        return false;
    }

    private static string Change(RatioEstimate estimate) => $"{Quantity.Change(estimate.Ratio)} "
        + $"[{Quantity.Change(estimate.Interval!.Value.Low)}, {Quantity.Change(estimate.Interval.Value.High)}]";

    private static string ByDrift(RatioEstimate estimate) =>
        estimate.Drift > 0 ? $" (the drift of the machine alone makes {Quantity.Percent(Math.Exp(estimate.Drift) - 1)} of it)" : "";

    /// <summary>
    /// Where one side is 0 throughout there is no percentage: from nothing to something is beyond every limit, nothing in both is within.
    /// </summary>
    private static bool JudgeZeros(
        FileComparison comparison, GateLimit limit, MeasuredCell before, MeasuredCell after, string where, List<string> crossed,
            List<string> open)
    {
        double[] old = [.. before.Values(limit.Metric)], now = [.. after.Values(limit.Metric)];
        if (old.Length == 0 || now.Length == 0)
        {
            open.Add($"{where}: {(old.Length == 0 ? comparison.Before.Name : comparison.After.Name)} has no {limit.Metric.Title}");
            return false;
        }
        if (Array.Exists(old, value => value > 0) && Array.Exists(now, value => value > 0))
        {
            open.Add($"{where}: cannot tell: no round has it on both sides");
            return false;
        }
        var something = limit.Below ? old : now;
        if (something.All(value => value == 0))
            return true;
        var sentence = TextBuilding.Invariant($"{where}: {limit.Metric.Title} was 0 in all {(limit.Below ? now : old).Length} rounds of ")
            + TextBuilding.Invariant($"{(limit.Below ? comparison.After : comparison.Before).Name}, and is not in ")
            + TextBuilding.Invariant($"{something.Count(value => value > 0)} of {something.Length} of ")
            + (limit.Below ? comparison.Before : comparison.After).Name;
        // Calls that fail on one side alone are certain; any other metric must differ from 0 in all rounds, and in enough for an interval.
        var isCertain = limit.Metric == Metric.Failed || something.All(value => value > 0)
            && RatioEstimate.FewestUnpaired(comparison.Alpha / comparison.ClaimsOf(limit.Metric)) <= Math.Min(old.Length, now.Length);
        (isCertain ? crossed : open).Add(sentence);
        return false;
    }
}

/// <summary>One <c>--fail-on</c>: a metric, a direction, and the change that is too much.</summary>
public sealed partial record GateLimit
{
    public required Metric Metric { get; init; }

    /// <summary>Whether a fall below the limit fails; else a rise above it.</summary>
    public required bool Below { get; init; }

    /// <summary>The ratio that must not be crossed: 0.95 for <c>&lt;-5%</c>.</summary>
    public required double Ratio { get; init; }

    /// <summary>As it was typed.</summary>
    public required string Text { get; init; }

    /// <summary>Reads what may be one.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out GateLimit? limit)
    {
        try
        {
            limit = Parse(text);
        }
        catch (FormatException)
        {
            limit = null;
        }
        return limit is not null;
    }

    /// <summary>Reads <c>rps&lt;-5%</c> or <c>p99&gt;10%</c>.</summary>
    /// <exception cref="FormatException">It is neither; the message is one sentence that names the fix.</exception>
    public static GateLimit Parse(string text)
    {
        var match = Grammar().Match(text);
        if (!match.Success)
            throw new FormatException($"'{text}' is no limit: write a metric, < or >, and a change in percent, e.g. 'rps<-5%' or "
                + $"'p99>10%'");
        var metric = Metric.Find(match.Groups["metric"].Value)
            ?? throw new FormatException($"there is no metric '{match.Groups["metric"].Value}': it is one of "
                + $"{string.Join(", ", Metric.All.Select(m => m.Id))}");
        var (below, percent) = (match.Groups["sign"].Value == "<",
            double.Parse(match.Groups["percent"].Value, CultureInfo.InvariantCulture));
        if (below ? percent > 0 : percent < 0)
            throw new FormatException($"'{text}' would fail when nothing changed: write "
                + $"{metric.Id}<-{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a fall, "
                + $"{metric.Id}>{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a rise");
        if (percent <= -100)
            throw new FormatException($"'{text}' can never fail: nothing falls by more than 100%");
        return new GateLimit { Metric = metric, Below = below, Ratio = 1 + percent / 100, Text = text };
    }

    /// <summary>Whether the whole interval is beyond the limit; null when there is no interval.</summary>
    public bool? IsCrossed(RatioEstimate? estimate) => estimate?.Interval is not { } interval
        ? null : Below ? interval.High < Ratio : interval.Low > Ratio;

    /// <summary>Whether the whole interval is inside.</summary>
    public bool IsExcluded(Interval interval) => Below ? interval.Low >= Ratio : interval.High <= Ratio;

    /// <summary>The smallest change, as a ratio, whose interval, as wide as this one, would be wholly beyond the limit.</summary>
    public double Shown(double estimate, Interval interval) => Ratio * estimate / (Below ? interval.High : interval.Low);

    [GeneratedRegex(@"^\s*(?<metric>[A-Za-z][A-Za-z0-9_.]*)\s*(?<sign>[<>])\s*"
        + @"(?<percent>[+-]?[0-9]+(\.[0-9]+)?)\s*%\s*$", RegexOptions.CultureInvariant)]
    private static partial Regex Grammar();
}
