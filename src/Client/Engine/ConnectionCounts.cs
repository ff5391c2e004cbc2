using IpcBench.Analysis.Results;

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
