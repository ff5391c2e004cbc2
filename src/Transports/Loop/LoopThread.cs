using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>One event loop, and what all its connections share: memory pool, schedulers and options of the pipes.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopThread : IDisposable
{
    /// <summary>
    /// How long to wait for a loop's thread to end. The limit is needed because the application may block the thread.
    /// </summary>
    public static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(3);

    private readonly string name;

    /// <param name="pool">The memory of the pipes and of the application.</param>
    /// <param name="most">
    /// The most received bytes and the most bytes to send that may wait, for each connection. Null for no limit.
    /// </param>
    /// <param name="inline">
    /// Whether the application runs on the loop's thread until it first waits. Otherwise it runs on the thread pool.
    /// </param>
    /// <param name="onFault">Called with an exception that the application threw on the loop's thread.</param>
    public LoopThread(string name, MemoryPool<byte> pool, (long? Input, long? Output) most, bool inline, Action<Exception> onFault)
    {
        (this.name, Pool, OnFault) = (name, pool, onFault);
        Loop = new EventLoop(name) { OnFault = onFault };
        var loop = new LoopPipeScheduler(Loop, onFault);
        PipeScheduler application = inline ? loop : PipeScheduler.ThreadPool;
        Input = Options(application, loop, most.Input);
        Output = Options(PipeScheduler.Inline, application, most.Output);
    }

    public EventLoop Loop { get; }

    public MemoryPool<byte> Pool { get; }

    public Action<Exception> OnFault { get; }

    /// <summary>Options of the pipe that the loop writes and the application reads.</summary>
    public PipeOptions Input { get; }

    /// <summary>Options of the pipe that the application writes and the loop reads.</summary>
    public PipeOptions Output { get; }

    /// <summary>Starts all threads, or no thread when one of them cannot start.</summary>
    /// <exception cref="IOException">The process has no descriptors left.</exception>
    public static IReadOnlyList<LoopThread> Start(int count, Func<int, LoopThread> make)
    {
        var threads = new List<LoopThread>();
        try
        {
            while (threads.Count < count)
                threads.Add(make(threads.Count));
            return threads;
        }
        catch (IOException)
        {
            End(threads);
            throw;
        }
    }

    /// <summary>Ends all threads at the same time.</summary>
    /// <returns>
    /// The names of the threads that an application still blocks after <see cref="EndLimit"/>. Their memory is not freed.
    /// </returns>
    public static IReadOnlyList<string> End(IReadOnlyList<LoopThread> threads)
    {
        var until = MonotonicClock.NowNs + EndLimit.Ticks * 100;
        foreach (var thread in threads)
            thread.Loop.TryEnd(TimeSpan.Zero);
        var blocked = new List<string>();
        foreach (var thread in threads)
        {
            if (thread.Loop.TryEnd(TimeSpan.FromTicks(Math.Max(0, until - MonotonicClock.NowNs) / 100)))
                thread.Pool.Dispose();
            else
                blocked.Add(thread.name);
        }
        return blocked;
    }

    public void Dispose() => End([this]);

    // As in Kestrel's socket transport, a writer that has reached the limit continues when only half of the limit
    // is unread. 0 is no limit.
    private PipeOptions Options(PipeScheduler reader, PipeScheduler writer, long? most) =>
        new(Pool, reader, writer, most ?? 0, (most ?? 0) / 2, useSynchronizationContext: false);
}

/// <summary>
/// Runs continuations on an event loop's thread: at once if scheduled on this thread, otherwise as posted actions.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopPipeScheduler(EventLoop loop, Action<Exception> onFault) : PipeScheduler
{
    public EventLoop Loop => loop;

    public override void Schedule(Action<object?> action, object? state)
    {
        if (!loop.IsCurrent)
        {
            loop.Post(action, state);
            return;
        }
        try
        {
            action(state);
        }
#pragma warning disable CA1031 // An exception of the application must not end the loop and the process.
        catch (Exception e)
#pragma warning restore CA1031
        {
            onFault(e);
        }
    }
}
