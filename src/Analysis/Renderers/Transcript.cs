using System.Text;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>The output during a run, in the words of the original GrpcBench, with more details for each cell.</summary>
public static class Transcript
{
    private const double GiB = 1 << 30, MiB = 1 << 20, KiB = 1 << 10;

    /// <summary>Returns the heading of a round. <paramref name="rounds"/> is 0 if the number of rounds is not known yet.</summary>
    public static string RoundHeading(int number, int rounds) =>
        Invariant($"===\nRound {number}{(rounds > 0 ? Invariant($"/{rounds}") : "")}\n===\n");

    /// <summary>Returns the two lines that are printed before a cell is measured.</summary>
    public static string CellHeading(RunRecord run, Cell cell)
    {
        var (key, text) = (cell.Key, new StringBuilder());
        var load = key.IsFullLoad ? "" : $" at {key.Load}";
        var arm = key.Arm == key.Transport ? "" : $" ({key.Arm})";
        var length = run.Options.Calls > 0 ? Invariant($"{run.Options.Calls} requests") : Seconds(run.Options.DurationNs) + "s";
        var work = key.Method.Length == 0 ? Invariant($"with size {key.Size}") : $"of {key.Method}";
        var handler = run.Cells.Any(other => other.Key.HandlerText != key.HandlerText) ? $", {key.HandlerText}" : "";
        text.Line($"Running {length} test @ {cell.Address} {work}{handler}{load}{arm}");
        var streams = key.Streams == 1 ? "" : Invariant($", {key.Streams} streams each");
        var threads = Quantity.Many(Math.Min(run.Options.Threads, key.Connections), "thread");
        return text.Line($"{threads} and {Quantity.Many(key.Connections, "connection")}{streams}").ToString();
    }

    /// <param name="isWhole">Whether to add percentiles, CPU, connections and threads, which the original GrpcBench did not print.</param>
    public static string CellResult(RunRecord run, Measurement round, bool isWhole = true)
    {
        var reading = new RoundMetrics(round);
        var text = new StringBuilder();
        var key = run.Cells[round.Cell].Key;
        var (what, way) = (key.IsOfMessages ? "messages" : "requests", key.Mode is "upload" or "push" ? "sent" : "read");
        text.Line($"{round.Completed} {what} in {Seconds(round.WindowNs)}s, {Volume(round.PayloadBytes)} {way}");
        text.Line($"{(key.IsOfMessages ? "Messages" : "Requests")}/sec: {Number(reading.Rate, reading.Rate < 100 ? "0.0" : "0")}");
        text.Line($"Average Latency: {Milliseconds(reading.MeanNs)}{(reading.MeanNs is null ? "" : "ms")}");
        if (round is { SmallestReply: { } least, LargestReply: { } most })
            text.Line($"Replies: {Bytes(least, most)} each");
        if (isWhole)
            AppendDetails(text, reading, key);
        AppendTroubles(text, reading, run.Cells[round.Cell].Note);
        return text.ToString();
    }

    public static string Cell(RunRecord run, Measurement round, bool isWhole = true) =>
        CellHeading(run, run.Cells[round.Cell]) + CellResult(run, round, isWhole);

    /// <summary>
    /// Returns a row <c>size, requests/s, latency ms</c> for the median round of each cell. Cells that differ in
    /// address, arm, connections, streams or load are in separate blocks.
    /// </summary>
    public static string FinalResults(RunRecord run)
    {
        var text = new StringBuilder("Final results:\n");
        var measured = new MeasuredRun(run);
        var blocks = measured.Cells.Where(cell => cell.Median is not null).GroupBy(cell => BlockTitle(run, cell)).ToList();
        foreach (var block in blocks)
        {
            if (blocks.Count > 1)
                text.Line().Line(block.Key);
            foreach (var cell in block)
                text.Line($"{cell.Key.Size}, {Number(cell.Median!.Rate, cell.Median.Rate < 100 ? "0.0" : "0")}, "
                    + $"{Milliseconds(cell.Median.MeanNs)}");
        }
        return text.ToString();
    }

    /// <summary>Shows a volume in GB as the original did, or in MB or kB if GB would show 0.00.</summary>
    private static string Volume(long bytes) => bytes >= GiB / 100 ? Number(bytes / GiB, "0.00") + "GB"
        : bytes >= MiB / 100 ? Number(bytes / MiB, "0.00") + "MB" : Number(bytes / KiB, "0.00") + "kB";

    private static string Bytes(long least, long most) =>
        least == most ? Invariant($"{most} bytes") : Invariant($"{least} to {most} bytes");

    private static void AppendDetails(StringBuilder text, RoundMetrics reading, CellKey key)
    {
        var percentiles = Metric.Percentiles.Append(Metric.Max);
        // The latency of one-way messages may be unknown although there are enough messages, so "not enough data" would be wrong.
        text.Line("Latency: " + (key.IsOneWay && reading is { Record.Ok: > 0, Latency.Count: 0 } ? "not known" : string
            .Join("  ", percentiles.Select(p => $"{p.Id} {(p.Value(reading) is null ? "not enough data" : p.Show(reading))}"))));
        var server = Metric.ServerCpu.Show(reading);
        var unattributed = Metric.UnattributedCpu.Value(reading) is { } rest ? $", unattributed {Quantity.Micros(rest)}" : "";
        text.Line($"CPU per call: client {Metric.ClientCpu.Show(reading)}, server {server}{unattributed}");
        text.Line(Connections(reading.Record.Connections));
        if (reading.Record.ThreadCalls.Count > 0)
            text.Line($"Threads: {Quantity.Many(reading.Record.ThreadCalls.Count, "thread")} completed "
                + $"{Quantity.Count(reading.Record.ThreadCalls.Min())} to "
                + $"{Quantity.Count(reading.Record.ThreadCalls.Max())} calls each");
        if (reading.Record.Blocked is { } by && by.StreamWindow + by.ConnectionWindow + by.Socket is >= 0.001 and var all)
            text.Line($"Writers blocked {Quantity.Percent(all)} of the time: stream window {Quantity.Percent(by.StreamWindow)}, "
                + $"connection window {Quantity.Percent(by.ConnectionWindow)}, socket {Quantity.Percent(by.Socket)}"
                + (by.Times == 0 ? "" : $"; {Quantity.Count(by.Times)} times, {Quantity.Duration(by.ResumeNs)} each, at most "
                    + $"{Quantity.Size(by.AheadBytes)} ahead of the reader"));
        if (reading.Record.AskedRate > 0)
            text.Line($"Asked {Quantity.Count(reading.Record.AskedRate)}/s, sent "
                + $"{Quantity.Count(reading.Record.Started / reading.Seconds)}/s{NotSent(reading.Record)}");
    }

    private static string NotSent(Measurement round) =>
        round.NotSent == 0 ? "" : $": {Quantity.Count(round.NotSent)} calls were due and not sent, and count as waiting";

    /// <summary>Returns the numbers of open and used connections, by the counts of client and server.</summary>
    private static string Connections(ConnectionStats truth)
    {
        var server = truth.ServerOpen is { } open ? Invariant($" (server: {open})") : "";
        var reopened = truth.Reopened > 0 ? Invariant($", {truth.Reopened} reopened") : "";
        var retries = truth.ConnectRetries > 0 ? Invariant($", {truth.ConnectRetries} connects retried") : "";
        var connects = truth.ConnectTimesNs is [var p50, _, .., var slowest]
            ? $", connect p50 {Quantity.Duration(p50)} slowest {Quantity.Duration(slowest)}" : "";
        if (truth.OpenedInAll is { } all)
            return Invariant($"Connections: one for each call, {all} opened, at most {truth.Requested} at a time") + retries + connects;
        return Invariant($"Connections: {truth.Opened} of {truth.Requested} opened{server}, {truth.Active} active, {truth.FewestCalls} to "
            + $"{truth.MostCalls} calls each, fairness {truth.Fairness:0.000}") + reopened + retries + connects;
    }

    private static void AppendTroubles(StringBuilder text, RoundMetrics reading, string note)
    {
        if (reading.FailedCalls > 0)
            text.Line($"Failed: {reading.FailedCalls} of {reading.Record.Started} "
                + $"({string.Join(", ", reading.Record.Failed.OrderByDescending(f => f.Value).Select(
                f => FailureText.Describe(f.Key, f.Value, reading.Record.FailureMessages.GetValueOrDefault(f.Key))))})");
        if (reading.Record.CutOff > 0)
            text.Line($"Cut off: {reading.Record.CutOff} of {reading.Record.Started} had no answer in time");
        if (note.Length > 0)
            text.Line($"Note: {note}");
    }

    private static string BlockTitle(RunRecord run, MeasuredCell cell)
    {
        var key = cell.Key;
        var parts = new List<string> { cell.Cell.Address };
        if (key.Arm != key.Transport)
            parts.Add(key.Arm);
        if (run.Cells.Any(other => other.Key.Connections != key.Connections))
            parts.Add(Invariant($"{key.Connections} connections"));
        if (run.Cells.Any(other => other.Key.Streams != key.Streams))
            parts.Add(Invariant($"{key.Streams} streams"));
        if (run.Cells.Any(other => other.Key.Load != key.Load))
            parts.Add($"load {key.Load}");
        if (run.Cells.Any(other => other.Key.HandlerText != key.HandlerText))
            parts.Add(key.HandlerText);
        return string.Join(", ", parts);
    }

    private static string Seconds(long ns) => Number(ns / 1e9,
        ns < 10_000_000 ? "0.####" : ns % 1_000_000_000 is < 10_000_000 or > 990_000_000 ? "0" : "0.##");

    /// <summary>Shows two decimals as the original did, and more decimals for times below 1 ms.</summary>
    private static string Milliseconds(double? ns) => ns switch
    {
        null => Quantity.None,
        < 100_000 => Number(ns.Value / 1e6, "0.0000"),
        < 1_000_000 => Number(ns.Value / 1e6, "0.000"),
        _ => Number(ns.Value / 1e6, "0.00"),
    };
}
