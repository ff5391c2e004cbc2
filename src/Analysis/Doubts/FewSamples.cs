using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Too few calls for the percentiles that people ask for.</summary>
internal sealed class FewSamples() : CellDoubt("few-samples", "Measure longer (-d) to see these percentiles.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var latency = cell.Median!.Latency;
        return latency.Count == 0 || latency.HasDataFor(99) ? null : new Finding(1.0 / latency.Count, Invariant(
            $"{latency.Count} calls leave fewer than {LatencyDistribution.SamplesBeyond} beyond p99, so it is not shown"));
    }
}
