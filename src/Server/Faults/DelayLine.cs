using System.Collections.Concurrent;
using System.Diagnostics;

namespace IpcBench.Server.Faults;

/// <summary>
/// Holds calls back for a number of microseconds, finer than timers can; burns a thread's time while any call waits, so for tests only.
/// </summary>
internal sealed class DelayLine
{
    private readonly BlockingCollection<(long Due, TaskCompletionSource Done)> waiting = [];
    private readonly Lazy<Thread> thread;

    public DelayLine() => this.thread = new Lazy<Thread>(Start);

    /// <summary>
    /// Completes after <paramref name="microseconds"/>. Every caller must ask for the same time, for the line is first in, first out.
    /// </summary>
    public Task WaitAsync(long microseconds)
    {
        _ = this.thread.Value;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        waiting.Add((Stopwatch.GetTimestamp() + (microseconds * Stopwatch.Frequency / 1_000_000), done));
        return done.Task;
    }

    /// <summary>Keeps this thread busy for <paramref name="microseconds"/>.</summary>
    public static void Spin(long microseconds)
    {
        var until = Stopwatch.GetTimestamp() + (microseconds * Stopwatch.Frequency / 1_000_000);
        while (Stopwatch.GetTimestamp() < until)
            Thread.SpinWait(10);
    }

    private Thread Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "delay line" };
        thread.Start();
        return thread;
    }

    private void Run()
    {
        foreach (var (due, done) in waiting.GetConsumingEnumerable())
        {
            while (Stopwatch.GetTimestamp() < due)
                Thread.Yield();
            done.SetResult();
        }
    }
}
