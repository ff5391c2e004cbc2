using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>One event loop with what its connections share: memory, schedulers, the pipes' options.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopThread : IDisposable
{
    /// <summary>So long it may take at the end until the thread has done what it is at.</summary>
    public static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(3);

    private readonly string name;

    /// <param name="name">The thread's.</param>
    /// <param name="pool">The pipes' memory, and that of the application.</param>
    /// <param name="most">Bytes that may wait to be read, and to be sent; null: any number.</param>
    /// <param name="inline">The application runs on the loop's thread too, until it waits for something; else on the thread pool.</param>
    /// <param name="onFault">Is told of what an application threw on the loop's thread.</param>
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

    /// <summary>Of the pipe that the loop writes and the application reads.</summary>
    public PipeOptions Input { get; }

    /// <summary>Of the pipe that the application writes and the loop reads.</summary>
    public PipeOptions Output { get; }

    /// <summary>All of them, or none where the system has no descriptors for them.</summary>
    /// <exception cref="IOException">It has none.</exception>
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

    /// <summary>Ends the threads, all at a time.</summary>
    /// <returns>Names of those that did not end within <see cref="EndLimit"/>: an application blocks them. Their memory stays.</returns>
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

    // As Kestrel's own transport has it: who writes up to the limit goes on when half of it is gone. 0 is no limit.
    private PipeOptions Options(PipeScheduler reader, PipeScheduler writer, long? most) =>
        new(Pool, reader, writer, most ?? 0, (most ?? 0) / 2, useSynchronizationContext: false);
}

/// <summary>Runs continuations on the thread of an event loop: at once when called there, else posted.</summary>
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
#pragma warning disable CA1031 // Whatever an application throws here must not end the loop, and with it the process.
        catch (Exception e)
#pragma warning restore CA1031
        {
            onFault(e);
        }
    }
}
