using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using Spectre.Console;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Shows the progress and the current cell in two lines at the bottom of the terminal, drawn five times a second. The
/// view only reads counters of the measuring threads. <c>q</c> ends the run like Ctrl-C. While the run is in the
/// background (Linux), the keys and the screen belong to the shell, so nothing is read or drawn.
/// </summary>
internal sealed class LiveView(RunOptions options, Screen screen) : RunView(options, Console.Out, Console.Error, screen)
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(200);

    private readonly Lock drawing = new();
    private readonly IAnsiConsole console = ErrorConsole();
    private readonly ManualResetEventSlim ended = new();
    private LivePicture? picture;

    // Cancels SIGCONT in the background. Otherwise .NET's handler would set up the terminal again, and the terminal
    // would stop the whole process group (SIGTTOU), including the server that the run has started.
    private readonly PosixSignalRegistration? goesOn = !OperatingSystem.IsLinux() ? null
        : PosixSignalRegistration.Create(PosixSignal.SIGCONT, static signal => signal.Cancel = WhoseKeys() == Keys.Others);

    private Thread? drawer;
    private int linesShown;

    /// <summary>True when the terminal understands cursor movements and the user did not ask for plain text.</summary>
    public static bool IsPossible => !Console.IsErrorRedirected && ErrorConsole().Profile.Capabilities.Ansi;

    public override void Started(BenchPlan plan, RunProgress progress, Action end)
    {
        picture = new LivePicture(plan);
        drawer = new Thread(() => DrawUntilEnded(picture, progress, end)) { IsBackground = true, Name = "live view" };
        drawer.Start();
        base.Started(plan, progress, end);
    }

    public override void RoundStarted(int number, int attempt, int rounds)
    {
        picture!.RoundStarted(number, attempt, rounds, Stopwatch.GetTimestamp());
        base.RoundStarted(number, attempt, rounds);
    }

    public override void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
        picture!.CellFinished(cell, round, Stopwatch.GetTimestamp());
        base.CellFinished(cell, round, record);
    }

    public override void Finished(RunRecord record, string? file)
    {
        Dispose();
        base.Finished(record, file);
    }

    public override void Dispose()
    {
        if (ended.IsSet)
            return;
        ended.Set();
        drawer?.Join();
        goesOn?.Dispose();
        lock (drawing)
            Erase();
    }

    protected override void Around(Action write)
    {
        lock (drawing)
        {
            Erase();
            write();
            Console.Out.Flush();
        }
    }

    private static IAnsiConsole ErrorConsole() =>
        AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });

    private void DrawUntilEnded(LivePicture shown, RunProgress progress, Action end)
    {
        while (!ended.Wait(Interval))
        {
            var keys = WhoseKeys();
            if (keys == Keys.Ours)
                ReadKeys(end);
            lock (drawing)
            {
                if (keys == Keys.Others)
                {
                    // The screen belongs to another program, so the lines on it are not erased.
                    linesShown = 0;
                    continue;
                }
                Erase();
                var lines = shown.Lines(progress, Stopwatch.GetTimestamp(), Math.Max(40, console.Profile.Width));
                foreach (var line in lines)
                    console.MarkupLine(line);
                linesShown = lines.Count;
            }
        }
    }

    private static void ReadKeys(Action end)
    {
        while (!Console.IsInputRedirected && Console.KeyAvailable)
        {
            if (Console.ReadKey(intercept: true).KeyChar is 'q' or 'Q')
                end();
        }
    }

    /// <summary>
    /// Finds out which program gets the keys. If a background process reads keys, the terminal stops the process (SIGTTIN,
    /// SIGTTOU). A process is in the background for example after &amp; and below timeout(1).
    /// </summary>
    private static Keys WhoseKeys()
    {
        if (!OperatingSystem.IsLinux())
            return Keys.Ours;
        // proc_pid_stat(5): state, ppid, pgrp, session, tty_nr and tpgid follow the name.
        var stat = File.ReadAllText("/proc/self/stat");
        return stat[(stat.LastIndexOf(')') + 2)..].Split(' ') switch
        {
            [_, _, var group, _, _, var foreground, ..] when group == foreground => Keys.Ours,
            [_, _, _, _, _, "-1" or "0", ..] => Keys.Nobodys,
            _ => Keys.Others,
        };
    }

    // Moves up over the lines of this view and clears to the end of the screen (ECMA-48: CPL, ED).
    private void Erase()
    {
        if (linesShown > 0)
            Console.Error.Write(FormattableString.Invariant($"\u001b[{linesShown}F\u001b[0J"));
        linesShown = 0;
    }

    private enum Keys
    {
        Ours,
        Others,

        /// <summary>The terminal does not control this session. The view draws on the terminal but reads no keys.</summary>
        Nobodys,
    }
}
