using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>The results of <c>--find</c> as sentences and tables.</summary>
public static class RateSearchSentences
{
    public const string Words =
        "Each arm was loaded in an open loop (Poisson). The rate of a window depends on the earlier windows: higher "
        + "after a window that kept the objective, lower after a window that did not. The result is fitted over the windows near the rate, "
        + "with a jackknife interval. Latency begins when a call is due; calls that failed, were cut off or sent too late count "
        + "against the objective.";

    /// <summary>Writes a sentence for each arm and workload.</summary>
    public static IEnumerable<string> Lines(MeasuredRun run) => RateSearchResult.FindAll(run).Select(found => Line(run, found));

    /// <summary>
    /// Writes the highest rates of two files, a sentence for each arm and workload. No sentence judges them: the intervals do not cover
    /// the drift of a machine between two runs.
    /// </summary>
    public static IEnumerable<string> Compared(FileComparison comparison)
    {
        var (before, after) = (Found(comparison.Before), Found(comparison.After));
        foreach (var key in before.Keys.Union(after.Keys))
        {
            var (old, now) = (before.GetValueOrDefault(key), after.GetValueOrDefault(key));
            var (run, workload) = (comparison.Before.Run, Workload.From(key));
            yield return $"highest rate at {key.Load} ({key.Arm}, {Arms.NameOf(run, workload, withLoad: false)}): {Rate(old)} → "
                + $"{Rate(now)}, not judged: the intervals do not cover a change of the machine between the runs.";
        }

        static Dictionary<CellKey, RateSearchResult> Found(NamedRun file) =>
            RateSearchResult.FindAll(file.Run).DistinctBy(found => found.Cell.Key).ToDictionary(found => found.Cell.Key);

        static string Rate(RateSearchResult? found) => found is null ? "not searched" : found.Rate == 0 ? "unknown"
            : $"{Sign(found)}{Quantity.Count(found.Rate)}/s" + (Interval(found) is { } interval ? $" [{interval}]" : "");
    }

    /// <summary>Makes a table with a row for each arm and workload.</summary>
    public static TextTable Table(MeasuredRun run)
    {
        var table = new TextTable(Arms.Heading(run), "transport", "highest rate", "interval", "of full load", "windows")
        { Words = 2, Spare = ["windows", "of full load"] };
        foreach (var found in RateSearchResult.FindAll(run))
        {
            var isKnown = found.Rate > 0;
            table.Add(Arms.NameOf(run, found.Cell.Workload, withLoad: false), found.Cell.Key.Arm,
                isKnown ? Sign(found) + Quantity.Count(found.Rate) + "/s" : Quantity.None, Interval(found) ?? Quantity.None,
                isKnown && found.Saturation > 0 ? Quantity.Percent(found.Rate / found.Saturation) : Quantity.None,
                Quantity.Count(found.Windows.Count()));
        }
        return table;
    }

    /// <summary>Makes a table of all windows and their rates: the numbers of the plot of the search.</summary>
    public static TextTable Windows(MeasuredRun run)
    {
        var terms = RateSearchResult.FindAll(run).SelectMany(found => found.Objective.Terms).DistinctBy(term => term.Name).ToList();
        var table = new TextTable([Arms.Heading(run), "transport", "rate", .. terms.Select(term => term.Name), "kept"])
        { Words = 2, LastIsWords = true };
        foreach (var found in RateSearchResult.FindAll(run))
        {
            foreach (var (window, isKept) in found.Windows.OrderBy(one => one.Window.Record.AskedRate))
                table.Add([Arms.NameOf(run, found.Cell.Workload, withLoad: false), found.Cell.Key.Arm,
                    Quantity.Count(window.Record.AskedRate) + "/s", .. terms.Select(term => Show(term, window)), isKept ? "yes" : "no"]);
        }
        return table;
    }

    /// <summary>
    /// Returns a window's value for a term, in ns or as a share. Null when the window has no latency (percentile) or no call (other terms).
    /// </summary>
    public static double? ValueOf(ObjectiveTerm term, RoundMetrics window) => term.Quantile is { } quantile
        ? window.Latency.Count == 0 ? null : window.Latency.ValueAt(quantile * 100)
        : RateSearchResult.ProbeOf(term, window) is { Calls: > 0 } probe ? probe.Against / probe.Calls : null;

    private static string Show(ObjectiveTerm term, RoundMetrics window) => ValueOf(term, window) is not { } value ? Quantity.None
        : term.IsOfFailures ? Quantity.Percent(value) : Quantity.Duration(value);

    private static string Line(MeasuredRun run, RateSearchResult found)
    {
        var (arm, objective, rate) = (found.Cell.Key.Arm, found.Objective.Text, Quantity.Count(found.Rate));
        var workload = Arms.NameOf(run, found.Cell.Workload, withLoad: false);
        var doubtful = found.Windows.Count(one => one.Window.Record.Spoiled.Length > 0);
        return $"{workload}: " + found.Outcome switch
        {
            SearchOutcome.Found => $"{arm} keeps {objective} up to {rate} calls/s [{Interval(found)}], "
                + $"{Quantity.Percent(found.Rate / found.Saturation)} of {arm}'s rate at full load.",
            SearchOutcome.Everywhere => $"{arm} keeps {objective} at "
                + $"{(found.Windows.All(one => one.IsKept) ? "every rate that was tried, up to" : "the highest rate that was tried,")} "
                + $"{rate} calls/s, "
                + $"{Quantity.Significant(RateSearch.Most)} times {arm}'s rate at full load.",
            SearchOutcome.Nowhere => $"{arm} does not keep {objective} even at {rate} calls/s, "
                + $"{Quantity.Percent(RateSearch.Least)} of {arm}'s rate at full load.",
            SearchOutcome.TooFewCalls => $"the highest rate at which {arm} keeps {objective} is unknown: near that rate the "
                + $"objective allows fewer than {LatencyCounts.SamplesBeyond} slow or failed calls, too few to judge "
                + "(-d makes windows longer).",
            _ => $"the highest rate at which {arm} keeps {objective} is unknown after {Windowed(found)}{Known(found)}.",
        } + (doubtful == 0 ? "" : $" In {doubtful} of {Windowed(found)} the measurement was disturbed by other load or a standstill.")
            + (CallDoubts.FailuresIn(found.Cell.Windows) is { } failures ? $" In the search {failures.Text}." : "");
    }

    private static string Windowed(RateSearchResult found) =>
        found.Windows.Count() is var count && count == 1 ? "one window" : TextBuilding.Invariant($"{count} windows");

    private static string Known(RateSearchResult found)
    {
        var kept = found.Windows.Where(one => one.IsKept).Select(one => one.Window.Record.AskedRate).DefaultIfEmpty(0).Max();
        var broken = found.Windows.Where(one => !one.IsKept).Select(one => one.Window.Record.AskedRate).DefaultIfEmpty(0).Min();
        if (kept >= broken && broken > 0)
        {
            var (low, high) = (Quantity.Count(broken), Quantity.Count(kept));
            return $": {(low == high ? $"at {low}/s" : $"from {low} to {high}/s")} some windows kept the objective and some did not";
        }
        var parts = new List<string>();
        if (kept > 0)
            parts.Add($"the objective was kept at {Quantity.Count(kept)}/s");
        if (broken > 0)
            parts.Add($"{(kept > 0 ? "but " : "the objective was ")}not {(kept > 0 ? "" : "kept ")}at {Quantity.Count(broken)}/s");
        return ": " + string.Join(", ", parts);
    }

    private static string Sign(RateSearchResult found) =>
        found.Outcome switch { SearchOutcome.Everywhere => "≥ ", SearchOutcome.Nowhere => "< ", _ => "" };

    private static string? Interval(RateSearchResult found) => found.Interval is { } interval
        ? $"{Quantity.Count(interval.Low)}, {Quantity.Count(interval.High)}" : null;
}
