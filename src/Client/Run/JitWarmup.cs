using System.Diagnostics;

namespace IpcBench.Client.Run;

/// <summary>
/// Repeats the readings of a window's edges during the warm-up of servers, until this object is disposed. Otherwise
/// the JIT compiler would compile the code of the readings again in the first window, after thirty calls of the code
/// (TieredCompilation). This second compilation cost the client 0.15 s of CPU time.
/// </summary>
internal sealed class JitWarmup : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    // The readings use at most this percentage of one CPU, since with thousands of processes a reading takes long.
    private const int MostOfOneCpu = 10; // %

    private readonly WindowCounters counters;
    private readonly ManualResetEventSlim stopping = new();
    private readonly Thread thread;

    /// <param name="counters">Counters that nothing else uses. They are disposed with this object.</param>
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
            // The measured window will report the same error.
        }
    }
}
