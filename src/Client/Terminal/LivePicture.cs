using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using static System.FormattableString;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Makes the two lines of the live view as Spectre markup. The lines depend only on counters and results, so that
/// tests can check them.
/// </summary>
internal sealed class LivePicture(BenchPlan plan)
{
    private readonly RunOptions options = plan.Options;
    private readonly Lock changing = new();
    private readonly ExpectedTime expected = new(plan);
    private RunProgress.Step? seenStep;
    private (long Calls, long Timestamp) seen;
    private (int Number, int Of, int Repeated) round;
    private int cellsDone;
    private long begun;

    public void RoundStarted(int number, int attempt, int rounds, long now)
    {
        lock (changing)
        {
            round = (number, rounds, round.Repeated + (attempt > 0 ? 1 : 0));
            begun = begun == 0 ? now : begun;
            expected.RoundStarted(attempt, now);
        }
    }

    public void CellFinished(PlannedCell cell, Measurement measured, long now)
    {
        lock (changing)
        {
            cellsDone += measured.Attempt == 0 ? 1 : 0;
            expected.Finished(cell, measured.Number, now);
        }
    }

    /// <summary>
    /// Returns the line with the progress of the run and the line with the current cell and its rate. Neither line is
    /// wider than <paramref name="width"/>.
    /// </summary>
    public IReadOnlyList<string> Lines(RunProgress progress, long now, int width)
    {
        lock (changing)
            return [Overall(now, width), Cell(progress.Current, now, width)];
    }

    private string Overall(long now, int width)
    {
        if (begun == 0)
            return Grey($"before the first round; {LeftText.Describe(expected.Left(now))}", width);
        var elapsed = Stopwatch.GetElapsedTime(begun, now);
        var share = options.RoundsAuto ? Math.Min(1, elapsed / options.MaxTime)
            : Math.Min(1, (double)cellsDone / Math.Max(1, plan.Measurements));
        var repeated = round.Repeated == 0 ? "" : Invariant($" ({round.Repeated} repeated)");
        var text = options.RoundsAuto
            ? Invariant($" round {round.Number}{repeated}, {LeftText.Span(elapsed)} of at most {LeftText.Span(options.MaxTime)}")
            : Invariant($" round {round.Number} of {round.Of}{repeated}, {LeftText.Describe(expected.Left(now))}");
        text += "  (q: end and keep)";
        var bar = Math.Clamp(width - text.Length - 1, 0, 30);
        var full = (int)(bar * share);
        return $"[green]{new string('━', full)}[/][grey]{new string('━', bar - full)}[/]"
            + Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width));
    }

    private string Cell(RunProgress.Step? step, long now, int width)
    {
        if (step is null)
            return Grey("between cells", width);
        var key = step.Cells[0].Record.Key;
        var arms = string.Join(", ", step.Cells.Select(cell => cell.Record.Key.Arm)) + (step.Cells.Count > 1 ? " in turns" : "");
        var load = key.IsFullLoad ? "" : $", {key.Load}";
        var text = Invariant($"{step.What}: {arms}, {key.Work}, {key.Connections} × {key.Streams}{load}{Rate(step, now)}");
        return $"[bold]{Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width))}[/]";
    }

    // The rate since this method last ran, in calls per second: of the current cell, or of all cells together that take turns.
    private string Rate(RunProgress.Step step, long now)
    {
        var (before, isSame) = (seen, ReferenceEquals(step, seenStep));
        (seenStep, seen) = (step, (step.CallsSoFar, now));
        return step.What != "measuring" || !isSame || now <= before.Timestamp ? ""
            : Invariant($"  {(seen.Calls - before.Calls) / Stopwatch.GetElapsedTime(before.Timestamp, now).TotalSeconds:#,0}/s");
    }

    private static string Grey(string text, int width) => $"[grey]{Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width))}[/]";
}
