using System.Collections.Concurrent;
using System.Diagnostics;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Behaviors;

/// <summary>
/// What an endpoint does besides answering. An endpoint can compute in each call, as a handler would. For tests of the
/// client, an endpoint can also delay or falsify replies on purpose.
/// </summary>
/// <param name="workNs">CPU time that each call computes, in ns.</param>
/// <param name="delayUs">How long a delayed reply waits, in µs.</param>
/// <param name="every">
/// One of this many calls (or messages of a stream) is delayed: 10 delays every tenth call, 1 delays all calls.
/// </param>
internal sealed class EndpointBehavior(long workNs, long delayUs, WrongAnswer answer, long every = 1)
{
    private readonly DelayLine delays = new();
    private readonly Work? work = workNs > 0 ? new Work(workNs) : null;
    private long held;

    /// <summary>A behavior without work, delay and fault.</summary>
    public static EndpointBehavior None { get; } = new(0, 0, WrongAnswer.None);

    /// <summary>Whether each call ends with an error. A gRPC call still sends its payload before the error.</summary>
    public bool EndsWithError => answer == WrongAnswer.Status;

    /// <summary>Returns the number of payload bytes in the reply to a request for <paramref name="asked"/> bytes.</summary>
    public int SizeFor(int asked) => answer == WrongAnswer.Short && asked > 0 ? asked - 1 : asked;

    /// <summary>Does the work of one call (or message). Then waits, if this call is one of the delayed calls.</summary>
    public ValueTask HoldAsync()
    {
        work?.Run();
        var isHeld = delayUs > 0 && (every == 1 || Interlocked.Increment(ref held) % every == 0);
        return isHeld ? new ValueTask(delays.WaitAsync(delayUs)) : ValueTask.CompletedTask;
    }
}

/// <summary>A fault that a reply has on purpose.</summary>
internal enum WrongAnswer
{
    None,

    /// <summary>
    /// A payload with one byte less than requested. For each message, Upload and Push report one byte less than
    /// they received.
    /// </summary>
    Short,

    /// <summary>The whole payload, then INTERNAL in the trailers. For <c>/bytes</c> HTTP status 500, for JSON-RPC an error.</summary>
    Status,
}

/// <summary>
/// Delays calls by microseconds, more exactly than timers can. A thread sleeps until shortly before a call is due, and
/// then spins. The spinning thread takes CPU time from the server, so only tests use delays.
/// </summary>
internal sealed class DelayLine
{
    private static readonly TimeSpan Spin = OperatingSystem.IsWindows() ? TimeSpan.FromMilliseconds(1) : TimeSpan.FromMicroseconds(100);

    private readonly BlockingCollection<(long Due, TaskCompletionSource Done)> waiting = [];
    private readonly Lazy<Thread> thread;

    public DelayLine() => this.thread = new Lazy<Thread>(Start);

    /// <summary>
    /// Completes after <paramref name="microseconds"/>. All callers must pass the same time, because the waits end in the
    /// order in which they began.
    /// </summary>
    public Task WaitAsync(long microseconds)
    {
        _ = this.thread.Value;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        waiting.Add((Stopwatch.GetTimestamp() + (microseconds * Stopwatch.Frequency / 1_000_000), done));
        return done.Task;
    }

    private Thread Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "delay line" };
        thread.Start();
        return thread;
    }

    private void Run()
    {
        FineSleep.Sharpen();
        foreach (var (due, done) in waiting.GetConsumingEnumerable())
        {
            var sleep = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), due) - Spin;
            if (sleep > TimeSpan.Zero)
                FineSleep.For((long)sleep.TotalNanoseconds);
            while (Stopwatch.GetTimestamp() < due)
                Thread.Yield();
            done.SetResult();
        }
    }
}
