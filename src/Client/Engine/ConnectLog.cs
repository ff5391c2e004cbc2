using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>Collects the connect times of connections that are opened for one call each. May be used from any thread.</summary>
internal sealed class ConnectLog
{
    private readonly Lock gate = new();
    private readonly LatencyHistogram times = new();

    /// <summary>The number of connections opened since the window began.</summary>
    public long Count
    {
        get
        {
            lock (gate)
                return times.Count;
        }
    }

    /// <summary>Begins a window, and forgets the connect times of the previous window.</summary>
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

    /// <summary>Returns the percentiles 50, 90 and 99 and the maximum of the connect times, in ns. Empty without a connection.</summary>
    public IReadOnlyList<long> Percentiles()
    {
        lock (gate)
        {
            var counts = times.ToCounts();
            return counts.Count == 0 ? [] : [counts.ValueAt(50), counts.ValueAt(90), counts.ValueAt(99), counts.Max];
        }
    }
}
