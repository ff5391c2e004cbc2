using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>Computes statistics over the connections of a window.</summary>
internal static class ConnectionCounts
{
    /// <param name="calls">The number of calls of each connection.</param>
    /// <param name="connectTimes">Connect times in ns, ascending.</param>
    public static ConnectionStats Compute(
        IReadOnlyList<long> calls, int opened, int reopened, long retries, IReadOnlyList<long> connectTimes) => new()
        {
            Requested = calls.Count,
            Opened = opened,
            Active = calls.Count(count => count > 0),
            Reopened = reopened,
            ConnectRetries = retries,
            FewestCalls = calls.Min(),
            MostCalls = calls.Max(),
            Fairness = Fairness(calls),
            ConnectTimesNs = connectTimes.Count == 0
            ? []
            : [Quantile(connectTimes, 0.5), Quantile(connectTimes, 0.9), Quantile(connectTimes, 0.99), connectTimes[^1]],
        };

    /// <summary>Combines the statistics of two windows over the same connections.</summary>
    /// <param name="calls">The number of calls of each connection in both windows.</param>
    public static ConnectionStats Sum(ConnectionStats first, ConnectionStats next, IReadOnlyList<long> calls) => next with
    {
        Opened = Math.Min(first.Opened, next.Opened),
        Active = calls.Count(count => count > 0),
        Reopened = first.Reopened + next.Reopened,
        FewestCalls = calls.Min(),
        MostCalls = calls.Max(),
        Fairness = Fairness(calls),
    };

    /// <summary>Computes Jain's fairness index, (sum x)^2 / (n sum x^2). Returns 1 when there are no calls.</summary>
    public static double Fairness(IReadOnlyList<long> calls)
    {
        double sum = 0, squares = 0;
        foreach (var count in calls)
            (sum, squares) = (sum + count, squares + (double)count * count);
        return squares == 0 ? 1 : sum * sum / (calls.Count * squares);
    }

    private static long Quantile(IReadOnlyList<long> ascending, double part) => ascending[(int)Math.Ceiling(part * ascending.Count) - 1];
}

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

    /// <summary>Begins a window, and forgets the connect times of the last one.</summary>
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

    /// <summary>Returns the percentiles 50, 90 and 99 and the maximum of the connect times, in ns. Empty when nothing connected.</summary>
    public IReadOnlyList<long> Percentiles()
    {
        lock (gate)
        {
            var counts = times.ToCounts();
            return counts.Count == 0 ? [] : [counts.ValueAt(50), counts.ValueAt(90), counts.ValueAt(99), counts.Max];
        }
    }
}
