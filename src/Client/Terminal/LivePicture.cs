using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>The lines of the live view, as Spectre markup: a pure picture of counters and results, so that it can be tested.</summary>
internal sealed class LivePicture(RunOptions options, BenchPlan plan)
{
    private const string Blocks = "▁▂▃▄▅▆▇█";
    private const int SparkLength = 24;

    private readonly Lock changing = new();
    private readonly long begun = Stopwatch.GetTimestamp();
    private readonly Dictionary<string, List<double>> sparks = [];
    private readonly Dictionary<string, string> latest = [];
    private RunProgress.Stage? seenStage;
    private (long Calls, long Timestamp) seen;
    private int roundNumber;
    private int cellsDone;

    public void RoundStarted(int number)
    {
        lock (changing)
            roundNumber = number;
    }

    public void CellFinished(PlannedCell cell, Measurement round)
    {
        lock (changing)
        {
            cellsDone++;
            var rate = round.WindowNs == 0 ? 0 : round.Completed * 1e9 / round.WindowNs;
            latest[cell.Record.Key.Arm] = string.Create(CultureInfo.InvariantCulture, $"{rate,10:#,0}/s at {cell.Record.Key.Size} B");
        }
    }

    /// <summary>At most two lines and one for each arm, none longer than <paramref name="width"/>.</summary>
    public IReadOnlyList<string> Lines(RunProgress progress, long now, int width)
    {
        lock (changing)
        {
            var stage = progress.Current;
            Sample(stage, now);
            var lines = new List<string> { Overall(now, width), Cell(stage, width) };
            foreach (var arm in plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct().Take(6))
            {
                var text = $"  {Cut(arm, 18),-18} {Spark(sparks.GetValueOrDefault(arm)),-SparkLength} {latest.GetValueOrDefault(arm, "")}";
                lines.Add(Spectre.Console.Markup.Escape(Cut(text, width)));
            }
            return lines;
        }
    }

    private string Overall(long now, int width)
    {
        var planned = Math.Max(1, plan.Cells.Count * options.Rounds);
        var share = Math.Min(1.0, (double)cellsDone / planned);
        var elapsed = Stopwatch.GetElapsedTime(begun, now);
        // Where calls are counted, three cells tell nothing of the larger ones to come; a round does.
        var left = cellsDone < (plan.Estimate is null ? plan.Cells.Count : 3)
            ? plan.Estimate - elapsed
            : elapsed / cellsDone * (planned - cellsDone);
        var text = options.RoundsAuto
            ? string.Create(
                CultureInfo.InvariantCulture, $" round {roundNumber}, {LeftText.Span(elapsed)} of at most {LeftText.Span(options.MaxTime)}")
            : string.Create(CultureInfo.InvariantCulture,
                $" {share * 100,3:0}%  round {roundNumber}/{options.Rounds}  {LeftText.Of(left)}  (q ends and keeps)");
        var bar = Math.Clamp(width - text.Length - 2, 0, 40);
        var full = options.RoundsAuto ? (int)(bar * Math.Min(1, elapsed / options.MaxTime)) : (int)(bar * share);
        return $"[green]{new string('━', full)}[/][grey]{new string('━', bar - full)}[/]{Spectre.Console.Markup.Escape(Cut(text, width))}";
    }

    private static string Cell(RunProgress.Stage? stage, int width)
    {
        if (stage is null)
            return "[grey]between cells[/]";
        var key = stage.Cell.Record.Key;
        var text = string.Create(
            CultureInfo.InvariantCulture, $"{stage.What}: {key.Arm}, {key.Size} B, {key.Connections} × {key.Streams}, {key.Load}");
        return $"[bold]{Spectre.Console.Markup.Escape(Cut(text, width))}[/]";
    }

    // The rate since the last look, of the arm that is being measured.
    private void Sample(RunProgress.Stage? stage, long now)
    {
        var calls = stage?.Generator?.CallsSoFar ?? 0;
        if (stage is { What: "measuring" } && ReferenceEquals(stage, seenStage) && now > seen.Timestamp)
        {
            var arm = stage.Cell.Record.Key.Arm;
            if (!sparks.TryGetValue(arm, out var spark))
                sparks[arm] = spark = [];
            spark.Add((calls - seen.Calls) / Stopwatch.GetElapsedTime(seen.Timestamp, now).TotalSeconds);
            if (spark.Count > SparkLength)
                spark.RemoveAt(0);
        }
        (seenStage, seen) = (stage, (calls, now));
    }

    private static string Spark(List<double>? rates)
    {
        if (rates is not { Count: > 0 })
            return "";
        // On a log scale, since neighbours may be 10 B and 1 MB: three decades from top to bottom.
        var top = Math.Max(1, rates.Max());
        return string.Concat(rates.Select(rate => Blocks[rate <= 0 ? 0 : (int)Math.Clamp((Math.Log10(rate / top) / 3 + 1) * 7, 0, 7)]));
    }

    private static string Cut(string text, int width) => text.Length <= width ? text : text[..Math.Max(0, width - 1)] + "…";
}

/// <summary>Durations for people.</summary>
internal static class LeftText
{
    /// <summary><c>about 2m 10s left</c>.</summary>
    /// <param name="left">Null: not known yet.</param>
    public static string Of(TimeSpan? left) => left switch
    {
        null => "time left not known yet",
        { TotalSeconds: <= 1 } => "almost done",
        { } time => $"about {Span(time)} left",
    };

    /// <summary><c>2m 10s</c>, <c>45s</c>, <c>1h 5m</c>.</summary>
    public static string Span(TimeSpan time)
    {
        var whole = TimeSpan.FromSeconds(Math.Ceiling(time.TotalSeconds));
        return whole switch
        {
            { TotalHours: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{(int)whole.TotalHours}h {whole.Minutes}m"),
            { TotalMinutes: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{whole.Minutes}m {whole.Seconds}s"),
            _ => string.Create(CultureInfo.InvariantCulture, $"{whole.Seconds}s"),
        };
    }
}
