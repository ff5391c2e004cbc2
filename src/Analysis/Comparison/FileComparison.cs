using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>One run against another: cells aligned by what they are, never by where they ran.</summary>
public sealed class FileComparison
{
    public FileComparison(NamedRun before, NamedRun after)
    {
        (Before, After) = (before, after);
        Machines = Differences.OfMachines(before.Run.Record, after.Run.Record);
        Settings = Differences.OfSettings(before.Run.Record, after.Run.Record);
        var drift = Drift.Between(before.Run, after.Run);
        // Between two machines the fixed loop differs because they are two: that is no drift.
        Drift = SameMachine ? drift : drift with { FixedLoop = 0 };
        var (old, now) = (ByKey(before.Run), ByKey(after.Run));
        Cells = [.. old.Keys.Where(now.ContainsKey).Select(key => (old[key], now[key]))];
        OnlyBefore = [.. old.Keys.Where(key => !now.ContainsKey(key))];
        OnlyAfter = [.. now.Keys.Where(key => !old.ContainsKey(key))];
    }

    public NamedRun Before { get; }

    public NamedRun After { get; }

    public IReadOnlyList<Difference> Machines { get; }

    public IReadOnlyList<Difference> Settings { get; }

    public bool SameMachine => Machines.Count == 0;

    /// <summary>What all intervals are widened by.</summary>
    public Drift Drift { get; }

    /// <summary>The cells that both have, in the order of the first.</summary>
    public IReadOnlyList<(MeasuredCell Before, MeasuredCell After)> Cells { get; }

    public IReadOnlyList<CellKey> OnlyBefore { get; }

    public IReadOnlyList<CellKey> OnlyAfter { get; }

    /// <summary>After / before of one metric of one cell; null when one of them does not tell it.</summary>
    public RatioEstimate? Estimate(MeasuredCell before, MeasuredCell after, Metric metric) =>
        RatioEstimate.Unpaired(before.Values(metric), after.Values(metric), Alpha, Drift.Allowance);

    /// <summary>Probability with which an interval may miss the truth, after the stricter of both runs.</summary>
    public double Alpha => Math.Min(StoppingRule.AlphaOf(Before.Run.Record.Options.RoundsAuto),
        StoppingRule.AlphaOf(After.Run.Record.Options.RoundsAuto));

    /// <summary>The verdict of that, when differences below the second run's delta do not matter.</summary>
    public Verdict? Judge(MeasuredCell before, MeasuredCell after, Metric metric) =>
        Estimate(before, after, metric) is { } estimate ? Verdict.Of(estimate, After.Run.Record.Options.Delta) : null;

    private static Dictionary<CellKey, MeasuredCell> ByKey(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Rounds.Count > 0).GroupBy(cell => cell.Key).ToDictionary(group => group.Key, group => group.First());
}
