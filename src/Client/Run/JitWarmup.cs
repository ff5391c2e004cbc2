using System.Diagnostics;

namespace IpcBench.Client.Run;

/// <summary>
/// For the build that is compiled as it runs: takes the readings of a window's edges again and again until it is disposed of, while
/// servers are warmed up. The runtime compiles a method anew when it was called thirty times (TieredCompilation). Without
/// this JIT warm-up the runtime would compile these methods during the first window, where that cost the client 0.15 s of CPU.
/// </summary>
internal sealed class JitWarmup : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    // Where there are thousands of processes to be read of.
    private const int MostOfOneCpu = 10; // %

    private readonly WindowCounters counters;
    private readonly ManualResetEventSlim stopping = new();
    private readonly Thread thread;

    /// <param name="counters">Nobody else's.</param>
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
            // The window will tell.
        }
    }
}
