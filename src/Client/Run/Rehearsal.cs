using System.Diagnostics;

namespace IpcBench.Client.Run;

/// <summary>
/// Reads what is read at the edges of a window again and again, for nothing, until it is disposed of: for the time that servers are warmed
/// up. The runtime compiles a method anew when it was called thirty times (TieredCompilation); else it would do that for these during the
/// first window, which took the client 0.15 s of CPU there.
/// </summary>
internal sealed class Rehearsal : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    // Where there are thousands of processes to be read of.
    private const int MostOfOneCpu = 10; // %

    private readonly WindowCounters counters;
    private readonly ManualResetEventSlim stopping = new();
    private readonly Thread thread;

    /// <param name="counters">Nobody else's.</param>
    public Rehearsal(WindowCounters counters)
    {
        this.counters = counters;
        thread = new Thread(Run) { IsBackground = true, Name = "rehearsal" };
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
                counters.OnBegin();
                counters.OnEnd();
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
