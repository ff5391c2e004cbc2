using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Counts the connections of endpoints on a thread of its own, from <see cref="Begin"/> until <see cref="Stop"/>.</summary>
internal sealed class ConnectionSampler : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    // The samples use at most 1/100 of one CPU: if a sample of many sockets takes long, the next sample comes later.
    // Thousands of sockets may be in TIME_WAIT. Their number changes slowly, so they are counted less often.
    private const int Share = 100;

    private readonly IReadOnlyList<Watch> watches;
    private readonly ConnectionStates states;
    private readonly ManualResetEventSlim stopping = new();
    private readonly Thread thread;
    private readonly List<ConnectionTally[]> samples = [];

    private ConnectionSampler(IReadOnlyList<Watch> watches, ConnectionStates states)
    {
        (this.watches, this.states) = (watches, states);
        thread = new Thread(Run) { IsBackground = true, Name = "connection states" };
        thread.Start();
    }

    /// <summary>Starts to count. Returns null when there is no endpoint to watch, or when the system does not list its sockets.</summary>
    public static ConnectionSampler? Begin(IReadOnlyList<Watch> watches)
    {
        if (watches.Count == 0)
            return null;
        var states = ConnectionStates.Open([.. watches.Select(watch => LocalEndpoints.From(watch.Address))]);
        return states is null ? null : new ConnectionSampler(watches, states);
    }

    /// <summary>Stops counting. Returns the mean and the maximum of all samples, one entry for each endpoint.</summary>
    public IReadOnlyList<WatchedEndpoint> Stop()
    {
        stopping.Set();
        thread.Join();
        return [.. watches.Select((watch, i) => new WatchedEndpoint
        {
            Name = watch.Name,
            Address = watch.Address.ToString()!,
            Samples = samples.Count,
            Active = Over(i, tally => tally.Active),
            Idle = Over(i, tally => tally.Idle),
            Waiting = Over(i, tally => tally.Waiting),
            Closing = Over(i, tally => tally.Closing),
            TimeWait = Over(i, tally => tally.TimeWait),
        })];
    }

    public void Dispose()
    {
        stopping.Set();
        thread.Join();
        states.Dispose();
        stopping.Dispose();
    }

    private void Run()
    {
        try
        {
            var tallies = new ConnectionTally[watches.Count];
            var (pause, timeWaitDue) = (TimeSpan.Zero, 0L);
            while (!stopping.Wait(pause))
            {
                var withTimeWait = Stopwatch.GetTimestamp() >= timeWaitDue;
                var before = ProcessClock.OfThisThread();
                states.Read(tallies, withTimeWait);
                samples.Add([.. tallies]);
                var cost = (ProcessClock.OfThisThread() - before) * Share;
                pause = cost > Interval && !withTimeWait ? cost : Interval;
                if (withTimeWait)
                    timeWaitDue = Stopwatch.GetTimestamp() + (long)(cost.TotalSeconds * Stopwatch.Frequency);
            }
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // The samples before this error are kept.
        }
    }

    private StateCount Over(int watch, Func<ConnectionTally, int> state) => new()
    {
        Mean = samples.Count == 0 ? 0 : Math.Round(samples.Average(tallies => state(tallies[watch])), 3),
        Max = samples.Count == 0 ? 0 : samples.Max(tallies => state(tallies[watch])),
    };
}
