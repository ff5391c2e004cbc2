using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>2014: raw echo in Node.js.</summary>
internal static class EchoWriteUp
{
    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "Unix Domain Sockets vs Loopback TCP Sockets",
        Author = "nicmcd (Mr. Digital)",
        Year = 2014,
        Where = "nicisdigital.wordpress.com/2014/03/03/unix-domain-sockets-vs-loopback-tcp-sockets, github.com/nicmcd/uds_vs_tcp",
        Claim = "Unix sockets are 2 to 3 times as fast as TCP",
        Setup = "Raw echo, client and server in Node.js: one connection, one packet at a time, 100,000 packets of each size from 1 B to 16 "
            + "KiB (powers of two), 10 runs one after the other.",
        Machine = "Intel E5-2620 v2, Ubuntu 13.10",
        Command = "GrpcBench echo",
        Remarks =
        [
            "The results were published as a graph: its values could not be read, so every size is compared with 2 to 3 times, for which "
                + "the write-up is quoted. The repository's README says about 3 times for packets of 1,000 B; 1,024 B is measured here.",
            "Here both sides are .NET and the rounds of all sizes and transports are interleaved.",
        ],
        Shown = Metric.Mean,
        Ratios =
        [
            .. Enumerable.Range(0, 15).Select(power => Unix(1 << power, Quantity.Size(1 << power), 2, 3, PublishedOrigin.AsReported)),
            Unix(1024, "1,000 B", 3, 3, PublishedOrigin.Original),
        ],
        Explanations = [new EchoExplanation()],
    };

    private static PublishedRatio Unix(long size, string named, double low, double high, PublishedOrigin origin) =>
        new($"Unix socket against TCP, {named}", Cell("unix", size), Cell("tcp", size), low, high, origin);

    private static CellChoice Cell(string transport, long size) =>
        new() { Protocol = "echo", Transport = transport, Size = size, Connections = 1, Streams = 1 };
}

/// <summary>
/// Splits the time of a round trip into the CPU time of both sides and the rest, in which neither side computes: mostly
/// waiting for wake-ups.
/// </summary>
internal sealed class EchoExplanation : IExplanation
{
    public Explained? Explain(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("size", "transport", "round trip", "CPU of both sides", "the rest", "CPU, TCP / this") { Words = 2 };
        var cells = run.Cells.Where(cell => cell.Median is not null
            && cell.Key is { Protocol: "echo", Variant: "", Connections: 1, Streams: 1 }).ToList();
        var sentences = new List<string> { "The rest is the round trip minus the CPU time of both sides: time in which neither side "
            + "computes. If both sides compute at the same time, or an idle loop looks once more before it sleeps, the CPU time "
            + "can exceed the round trip, and there is no rest." };
        // Older results files lack this setting. Their echo always used .NET's sockets.
        if (run.Record.Servers.Any(server => server.Settings.GetValueOrDefault("echo-sockets", "dotnet") == "dotnet"))
        {
            sentences.Add("This echo was served through .NET's sockets and Kestrel: the figures show what is left of a transport's "
                + "saving behind Kestrel, not the saving in the kernel (--sockets loop).");
        }
        foreach (var size in Chosen([.. cells.Select(cell => cell.Key.Size).Distinct().Order()]))
        {
            var tcp = cells.Find(cell => cell.Key.Size == size && cell.Key.Transport == "tcp");
            foreach (var cell in cells.Where(cell => cell.Key.Size == size && Metric.TotalCpu.Value(cell.Median!) is not null))
            {
                table.Add(Quantity.Size(size), cell.Key.Arm, cell.Show(Metric.Mean), cell.Show(Metric.TotalCpu),
                    Rest(cell) is > 0 and var rest ? Quantity.Micros(rest) : Quantity.None, Saved(run, tcp, cell));
                if (tcp is not null && tcp != cell && Words(run, tcp, cell) is { } words)
                    sentences.Add($"{Quantity.Size(size)}: {words}");
            }
        }
        return table.IsEmpty ? null : new Explained("How much of a round trip a transport can save at all", table, sentences);
    }

    /// <summary>
    /// Says how the time and CPU time of a round trip differ from TCP's. Null when neither difference is decided.
    /// </summary>
    private static string? Words(MeasuredRun run, MeasuredCell tcp, MeasuredCell cell)
    {
        var time = Claimed(run, tcp, cell, Metric.Mean.Value, ArmComparison.Headline(cell));
        var cpu = Claimed(run, tcp, cell, Metric.TotalCpu.Value, Metric.TotalCpu);
        var waiting = PairedDifference.Compute(run, tcp, cell, round => Metric.Mean.Value(round) - Metric.TotalCpu.Value(round));
        if (time is not { IsDecided: true } && cpu is not { IsDecided: true })
            return null;
        var apart = Rest(tcp) > 0 && Rest(cell) > 0;
        var trip = time is { IsDecided: true } ? $"a round trip takes {Change(time)} than over TCP" : "how much longer a round trip takes "
            + "than over TCP is not decided";
        var computing = cpu is { IsDecided: true } ? $", with {Change(cpu)} of CPU" : "";
        return $"over {cell.Key.Transport} {trip}{computing}{(apart && waiting is { IsDecided: true } ? $" and {Change(waiting)} of waiting"
            : apart || computing.Length == 0 ? "" : "; both sides use a part of this CPU time at once")}.";
    }

    /// <summary>Returns the difference if the simultaneous interval of this metric decides the difference. Null otherwise.</summary>
    private static PairedDifference? Claimed(MeasuredRun run, MeasuredCell tcp, MeasuredCell cell, Func<RoundMetrics, double?> value,
        Metric metric) =>
        ArmComparison.Compare(run, cell, tcp, metric) is { } claim && (claim.IsBetter || claim.IsWorse)
            ? PairedDifference.Compute(run, tcp, cell, value) : null;

    private static string Change(PairedDifference difference)
    {
        var (low, high) = (Math.Abs(difference.Interval!.Value.Low), Math.Abs(difference.Interval.Value.High));
        return $"{Quantity.BareMicros(Math.Abs(difference.Ns))} µs "
            + $"[{Quantity.BareMicros(Math.Min(low, high))}, {Quantity.BareMicros(Math.Max(low, high))}] "
            + (difference.Ns >= 0 ? "less" : "more");
    }

    // Chooses the smallest size, a size of about 1 kB and the largest size.
    private static IEnumerable<long> Chosen(List<long> sizes) =>
        sizes.Count <= 3 ? sizes : new[] { sizes[0], sizes.MinBy(size => Math.Abs(Math.Log(size / 1024.0))), sizes[^1] }.Distinct();

    private static double? Rest(MeasuredCell cell) => cell.Value(Metric.Mean) - cell.Value(Metric.TotalCpu);

    private static string Saved(MeasuredRun run, MeasuredCell? tcp, MeasuredCell cell) =>
        tcp is null || tcp == cell || ArmComparison.Compare(run, tcp, cell, Metric.TotalCpu) is not { } saved ? Quantity.None
            : VerdictText.Ratio(saved.Verdict.Estimate);
}
