using IpcBench.Analysis.Statistics;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>A running window, with the load before and after it, and with the workers that make the calls.</summary>
internal sealed class WindowRun
{
    private readonly TaskCompletionSource drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly IReadOnlyList<Scheduler> schedulers;
    private readonly Worker[][] workers;
    private readonly Pacer pacer;
    private readonly int streams;
    private int running, made;

    public WindowRun(LoadWindow window, IReadOnlyList<Scheduler> schedulers)
    {
        (Window, this.schedulers) = (window, schedulers);
        PlannedNs = window.Duration is { } duration ? (long)(duration.TotalSeconds * 1e9) : null;
        Clock = new WindowClock(MonotonicClock.NowNs);
        if (window.Lead <= TimeSpan.Zero)
            Clock.BeginAt(Clock.StartNs);
        pacer = Pacer.For(window.Flow == Flow.In ? window with { Rate = null } : window, Clock);
        streams = schedulers.Sum(scheduler => scheduler.Connections.Sum(connection => connection.Streams.Count));
        workers = [.. schedulers.SelectMany(scheduler => scheduler.Connections.Select(
            connection => connection.Streams.Select(stream => WorkerOf(stream, scheduler)).ToArray()))];
        running = workers.Sum(streams => streams.Length);
        foreach (var scheduler in schedulers)
            scheduler.BeginWindow(Clock, window);
    }

    public LoadWindow Window { get; }

    public WindowClock Clock { get; }

    /// <summary>Median duration of successful calls before the window. Null without such calls, and for slices after the first.</summary>
    public long? LeadMedianNs { get; set; }

    /// <summary>The planned length of the window. Null when the window ends with its last call.</summary>
    public long? PlannedNs { get; set; }

    /// <summary>Completes when no call is in flight any more.</summary>
    public Task Drained => drained.Task;

    /// <summary>For each connection, the number of its calls that were sent in the window and succeeded.</summary>
    public IEnumerable<long> CallsByConnection => workers.Select(streams => streams.Sum(worker => worker.Calls));

    /// <summary>
    /// Returns, for each call that was due in the window but not sent in it, the time from the due time to the end of the
    /// window. Call this method once, after <see cref="Drained"/> has completed.
    /// </summary>
    public LatencyHistogram NotSent(long started)
    {
        var unsent = new UnsentCalls(Clock.BeginNs, Clock.EndNs, (Window.Calls ?? long.MaxValue) - started);
        if (Window.Rate is not { } rate)
            return unsent.Waits;
        var recorders = schedulers.SelectMany(scheduler => scheduler.Recorders);
        foreach (var late in recorders.Select(recorder => recorder.SentAfter).OfType<LatencyHistogram>())
            unsent.Waits.Add(late);
        if (Window.Flow == Flow.In)
        {
            foreach (var due in workers.SelectMany(streams => streams).Select(worker => worker.NotSentNs).OfType<long>())
                unsent.AddFrom(due, rate / streams);
            return unsent.Waits;
        }
        unsent.AddClaimed(workers.SelectMany(streams => streams).Select(worker => worker.NotSentNs).OfType<long>());
        unsent.AddUnclaimed(pacer, rate);
        return unsent.Waits;
    }

    /// <summary>Starts the workers of all connections on the threads of their schedulers.</summary>
    public void Start()
    {
        var first = 0;
        foreach (var scheduler in schedulers)
        {
            var index = first;
            scheduler.Post(_ =>
            {
                foreach (var connection in scheduler.Connections)
                    Start(connection, workers[index++]);
            }, null);
            first += scheduler.Connections.Count;
        }
    }

    /// <summary>
    /// Makes the worker of a stream. If the server sends messages at a rate, the streams share this rate and their first messages are
    /// due one after another.
    /// </summary>
    private Worker WorkerOf(IStream stream, Scheduler scheduler) => Window.Flow != Flow.In
        ? new Worker(stream, pacer, scheduler)
        : new PullWorker((IOneWayStream)stream, pacer, scheduler, (Window.Rate ?? 0) / streams,
            Window.Rate is { } rate ? ConstantPacer.OffsetNs(made++, rate) : 0);

    private void Start(IConnection connection, Worker[] streams)
    {
        connection.Enter();
        try
        {
            connection.SetAccepting(true);
            foreach (var worker in streams)
                _ = RunAsync(worker);
        }
        finally
        {
            connection.Leave();
        }
    }

    private async Task RunAsync(Worker worker)
    {
        try
        {
            await worker.RunAsync();
        }
        catch (Exception e)
        {
            drained.TrySetException(e); // an exception here is a bug of this program and must not look like a slow server
        }
        if (Interlocked.Decrement(ref running) == 0)
            drained.TrySetResult();
    }
}
