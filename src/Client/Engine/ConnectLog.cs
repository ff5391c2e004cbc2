using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>How long the connects took that belong to calls. From any thread.</summary>
internal sealed class ConnectLog
{
    private readonly Lock gate = new();
    private readonly LatencyHistogram times = new();

    /// <summary>Connections opened since the window began.</summary>
    public long Count
    {
        get
        {
            lock (gate)
                return times.Count;
        }
    }

    /// <summary>A window begins.</summary>
    public void Begin()
    {
        lock (gate)
            times.Clear();
    }

    public void Record(long nanoseconds)
    {
        lock (gate)
            times.Record(nanoseconds);
    }

    /// <summary>50th, 90th, 99th percentile and the slowest, in ns; empty when there were none.</summary>
    public IReadOnlyList<long> Percentiles()
    {
        lock (gate)
        {
            var counts = times.ToCounts();
            return counts.Count == 0 ? [] : [counts.ValueAt(50), counts.ValueAt(90), counts.ValueAt(99), counts.Max];
        }
    }
}
