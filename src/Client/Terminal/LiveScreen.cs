using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using Spectre.Console;

namespace IpcBench.Client.Terminal;

/// <summary>
/// A few lines at the foot of the terminal, drawn again five times a second: progress, the cell under way, a sparkline and the latest result
/// of each arm. It only polls a counter of the measuring threads; <c>q</c> ends the run as Ctrl-C does.
/// </summary>
internal sealed class LiveScreen : IProgressDisplay
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(200);

    private readonly Lock drawing = new();
    private readonly IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
    private readonly LivePicture picture;
    private readonly RunProgress progress;
    private readonly Interruption interruption;
    private readonly Thread drawer;
    private readonly ManualResetEventSlim ended = new();
    private int linesShown;

    public LiveScreen(RunOptions options, BenchPlan plan, RunProgress progress, Interruption interruption)
    {
        picture = new LivePicture(options, plan);
        (this.progress, this.interruption) = (progress, interruption);
        drawer = new Thread(DrawUntilEnded) { IsBackground = true, Name = "live view" };
        drawer.Start();
    }

    /// <summary>A terminal that understands cursor movements, and nobody who asked for plain text.</summary>
    public static bool IsPossible(TextWriter error) => ReferenceEquals(error, Console.Error) && !Console.IsErrorRedirected
        && AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) }).Profile.Capabilities.Ansi;

    public void Around(Action write)
    {
        lock (drawing)
        {
            Erase();
            write();
            Console.Out.Flush();
        }
    }

    public void RoundStarted(int number) => picture.RoundStarted(number);

    public void CellFinished(PlannedCell cell, Measurement round) => picture.CellFinished(cell, round);

    public void Dispose()
    {
        if (ended.IsSet)
            return;
        ended.Set();
        drawer.Join();
        lock (drawing)
            Erase();
    }

    private void DrawUntilEnded()
    {
        while (!ended.Wait(Interval))
        {
            ReadKeys();
            lock (drawing)
            {
                Erase();
                var lines = picture.Lines(progress, Stopwatch.GetTimestamp(), Math.Max(40, console.Profile.Width));
                foreach (var line in lines)
                    console.MarkupLine(line);
                linesShown = lines.Count;
            }
        }
    }

    private void ReadKeys()
    {
        if (Console.IsInputRedirected)
            return;
        while (Console.KeyAvailable)
        {
            if (Console.ReadKey(intercept: true).KeyChar is 'q' or 'Q')
                interruption.Request();
        }
    }

    // Up over our own lines and clear to the end of the screen (ECMA-48: CPL, ED).
    private void Erase()
    {
        if (linesShown > 0)
            Console.Error.Write(FormattableString.Invariant($"\u001b[{linesShown}F\u001b[0J"));
        linesShown = 0;
    }
}
