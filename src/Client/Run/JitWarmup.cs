using System.Diagnostics;

namespace IpcBench.Client.Run;

/// <summary>
/// Repeats the readings of a window's edges while servers are warmed up, until it is disposed, in the build with a
/// JIT compiler. The runtime compiles a method again after thirty calls (TieredCompilation). Without this warm-up, it
/// would do so in the first window, which cost the client 0.15 s of CPU there.
/// </summary>
internal sealed class JitWarmup : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    // The readings use at most this part of one CPU, since a reading takes long with thousands of processes.
    private const int MostOfOneCpu = 10; // %

    private readonly WindowCounters counters;
    private readonly ManualResetEventSlim stopping = new();
    private readonly Thread thread;

    /// <param name="counters">Used by this object alone.</param>
    public JitWarmup(WindowCounters counters)
    {
        this.counters = counters;
        thread = new Thread(Run) { IsBackground = true, Name = "JIT warm-up" };
        thread.Start();
    }

    public void Dispose()
    {
        stopping.Set();
        thread.Join();
        counters.Dispose();
    }

    private void Run()
    {
        try
        {
            TimeSpan pause;
            do
            {
                var start = Stopwatch.GetTimestamp();
                counters.BeforeBegin();
                counters.OnBegin();
                counters.OnEnd();
                counters.AfterEnd();
                pause = Stopwatch.GetElapsedTime(start) * (100 / MostOfOneCpu);
            }
            while (!stopping.Wait(pause > Pause ? pause : Pause));
        }
        catch (IOException)
        {
            // The window will report the error.
        }
    }
}
