using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Profile;

/// <summary>The share of each stage in the samples of a cell, and the CPU time of the server for a call.</summary>
/// <param name="IsCpuTime">True when the samples are in proportion to CPU time: those of perf, but not those of a runtime.</param>
public sealed record StageShares(MeasuredCell Cell, CellProfile Profile, bool IsCpuTime)
{
    private readonly long all = Profile.Windows.Sum(window => window.Samples.Values.Sum());

    /// <summary>
    /// CPU time of the server for a call, in ns, in the counted rounds. Null when it is unknown, or the samples do not divide it.
    /// </summary>
    public double? CallNs { get; } = IsCpuTime ? Cell.Value(Metric.ServerCpu) : null;

    /// <summary>CPU time of the server for a call, in ns, in the sampled windows. Null when it is unknown.</summary>
    public double? SampledCallNs => Profile.Windows.All(window => window.ServerCpuNs > 0)
        ? Profile.Windows.Sum(window => window.ServerCpuNs) / Profile.Windows.Sum(window => window.Calls) : null;

    /// <summary>The share of the samples whose innermost method of .NET has no name.</summary>
    public double Unnamed => Profile.Unnamed / (double)all;

    /// <summary>Lists the cells of a run that have samples.</summary>
    public static IReadOnlyList<StageShares> Compute(MeasuredRun run) =>
        [.. from cell in run.Cells
            join profile in run.Record.Profile?.Cells ?? [] on cell.Index equals profile.Cell
            where profile.Windows.Count > 0 && cell.Median is not null
            select new StageShares(cell, profile, run.Record.Profile is { IsCpuTime: true })];

    /// <summary>Lists the stages of these cells in the order of reports. A stage that this version does not know comes last.</summary>
    public static IEnumerable<string> Names(IEnumerable<StageShares> cells)
    {
        var present = cells.SelectMany(cell => cell.Profile.Windows).SelectMany(window => window.Samples.Keys).ToHashSet();
        var known = Stage.All.Select(stage => stage.Name).ToList();
        return [.. known.Where(present.Contains), .. present.Except(known).Order(StringComparer.Ordinal)];
    }

    /// <summary>Returns the share of the samples that belong to the stage.</summary>
    public double Share(string stage) => Profile.Windows.Sum(window => window.Samples.GetValueOrDefault(stage)) / (double)all;

    /// <summary>
    /// Returns how much more CPU time of the server a call needs in this stage than a call of the other cell, in ns,
    /// with a 95 % interval over pairs of windows. The interval ignores that the server's CPU time per call of both
    /// cells is uncertain. Null when the CPU time per call of a cell is unknown.
    /// </summary>
    public StageDifference? MoreThan(StageShares other, string stage)
    {
        if (CallNs is not { } own || other.CallNs is not { } others)
            return null;
        var pairs = Profile.Windows.Join(other.Profile.Windows, window => window.Number, window => window.Number,
            (one, two) => ShareOf(one, stage) * own - ShareOf(two, stage) * others);
        var estimate = Share(stage) * own - other.Share(stage) * others;
        return new(stage, estimate, SignedRank.IntervalOf(pairs, Joint.Alpha)?.With(estimate));
    }

    private static double ShareOf(ProfileWindow window, string stage) =>
        window.Samples.GetValueOrDefault(stage) / (double)window.Samples.Values.Sum();
}
