using BenchmarkDotNet.Attributes;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Microbench;

/// <summary>What the recording of latencies costs: one value per call, one merge per thread and round.</summary>
[Gated]
public class LatencyBenchmarks
{
    private readonly LatencyHistogram histogram = new();
    private readonly LatencyHistogram other = new();
    private readonly long[] values = new long[1024];
    private int next;

    [GlobalSetup]
    public void Setup()
    {
        const int seed = 1;
        var random = new Random(seed);
        for (var i = 0; i < values.Length; i++)
            values[i] = (long)(1_000_000 * Math.Exp(random.NextDouble() * 3));
        foreach (var value in values)
            other.Record(value);
    }

    [Benchmark]
    public void RecordOne() => histogram.Record(values[next++ & (values.Length - 1)]);

    [Benchmark]
    public void MergeOne() => histogram.Add(other);
}
