using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>The lines of the live view as Spectre markup. It depends only on counters and results, so it can be tested.</summary>
internal sealed class LivePicture(RunOptions options, BenchPlan plan)
{
    private const string Blocks = "▁▂▃▄▅▆▇█";
    private const int SparkLength = 20;

    private readonly Lock changing = new();
    private readonly Dictionary<int, List<double>> sparks = [];
    private readonly RunningTable table = new(plan);
    private readonly ExpectedTime expected = new(options, plan);
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

    public void CellFinished(PlannedCell cell, Measurement measured, RunRecord record, long now)
    {
        lock (changing)
        {
            cellsDone += measured.Attempt == 0 ? 1 : 0;
            expected.Finished(cell, measured.Number, measured.WindowNs, now);
            table.Update(cell.Index, record);
        }
    }

    /// <summary>Two lines and the table of what is known so far, none wider than <paramref name="width"/>.</summary>
    public IReadOnlyList<string> Lines(RunProgress progress, long now, int width, int height)
    {
        lock (changing)
        {
            var step = progress.Current;
            Sample(step, now);
            return [Overall(now, width), Cell(step, width), .. table.Lines(width, height - 4)];
        }
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
            : Invariant($" round {round.Number} of {round.Of}{repeated}, {LeftText.Describe(expected.Shown(now))}");
        text += "  (q ends and keeps)";
        var bar = Math.Clamp(width - text.Length - 1, 0, 30);
        var full = (int)(bar * share);
        return $"[green]{new string('━', full)}[/][grey]{new string('━', bar - full)}[/]"
            + Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width));
    }

    private string Cell(RunProgress.Step? step, int width)
    {
        if (step is null)
            return Grey(begun == 0 ? "measuring the maximum rate of this client" : "between cells", width);
        var key = step.Cells[0].Record.Key;
        var arms = string.Join(", ", step.Cells.Select(cell => cell.Record.Key.Arm)) + (step.Cells.Count > 1 ? " in turns" : "");
        var load = key.IsFullLoad ? "" : $", {key.Load}";
        var text = Invariant($"{step.What}: {arms}, {key.Work}, {key.Connections} × {key.Streams}{load}  ")
            + Spark(sparks.GetValueOrDefault(step.Cells[0].Index));
        return $"[bold]{Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width))}[/]";
    }

    // The rate since the last sample, of the current cell or of all cells that take turns.
    private void Sample(RunProgress.Step? step, long now)
    {
        var calls = step?.CallsSoFar ?? 0;
        if (step is { What: "measuring" } && ReferenceEquals(step, seenStep) && now > seen.Timestamp)
        {
            if (!sparks.TryGetValue(step.Cells[0].Index, out var spark))
                sparks[step.Cells[0].Index] = spark = [];
            spark.Add((calls - seen.Calls) / Stopwatch.GetElapsedTime(seen.Timestamp, now).TotalSeconds);
            if (spark.Count > SparkLength)
                spark.RemoveAt(0);
        }
        (seenStep, seen) = (step, (calls, now));
    }

    // The bars start at 0, so that half the height means half the rate.
    private static string Spark(List<double>? rates) => rates is not { Count: > 0 } ? ""
        : Invariant($"{rates[^1]:#,0}/s ")
            + string.Concat(rates.Select(rate => Blocks[(int)Math.Clamp(rate / Math.Max(1, rates.Max()) * 7, 0, 7)]));

    private static string Grey(string text, int width) => $"[grey]{Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width))}[/]";

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
