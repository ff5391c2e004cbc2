using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Layers;

/// <summary>
/// A gRPC call of one transport and size taken apart: raw echo, bare HTTP/2 and gRPC of the same rounds. The parts add up to the call.
/// </summary>
public sealed record LayerBudget
{
    // CPU is read around the window and latency inside it: they do not fit to the last per cent.
    private const double Slack = 0.05;

    /// <summary>The gRPC cell that is taken apart.</summary>
    public required MeasuredCell Call { get; init; }

    /// <summary>Rounds that all three have.</summary>
    public required int Rounds { get; init; }

    /// <summary>Mean latency of a gRPC call.</summary>
    public required LayerPart Total { get; init; }

    /// <summary>CPU of an echo call: client, server, and soft interrupts that neither is charged for.</summary>
    public required LayerPart Transport { get; init; }

    /// <summary>CPU that bare HTTP/2 takes beyond the echo.</summary>
    public required LayerPart Http2 { get; init; }

    /// <summary>CPU that gRPC takes beyond bare HTTP/2.</summary>
    public required LayerPart Grpc { get; init; }

    /// <summary>The rest of the latency: nobody computes. Below 0 where CPUs compute at the same time.</summary>
    public required LayerPart Rest { get; init; }

    /// <summary>The CPU of a call is more than its latency: parts of it overlap, and their shares of the latency cannot be told.</summary>
    public bool Overlaps => Rest.Ns < -Slack * Total.Ns;

    /// <summary>
    /// How many times as fast a call would be over a transport that costs nothing (Amdahl 1967); null where parts overlap.
    /// </summary>
    public double? MostSpeedup => Overlaps || Transport.Ns <= 0 || Transport.Ns >= Total.Ns ? null : Total.Ns / (Total.Ns - Transport.Ns);

    /// <summary>One for each transport, client, size and topology that has all three, in the order of the plan.</summary>
    public static IReadOnlyList<LayerBudget> Of(MeasuredRun run) =>
        [.. from call in run.Cells
            where call.Key is { Protocol: "grpc", Load: "max" }
            let echo = Like(run, call, "echo")
            let bare = Like(run, call, "http2")
            where echo != null && bare != null
            let budget = Make(run, call, echo, bare)
            where budget != null
            select budget];

    private static MeasuredCell? Like(MeasuredRun run, MeasuredCell call, string protocol) =>
        run.Cells.FirstOrDefault(cell => cell.Key == call.Key with { Protocol = protocol });

    private static LayerBudget? Make(MeasuredRun run, MeasuredCell call, MeasuredCell echo, MeasuredCell bare)
    {
        var rounds = (from full in call.Rounds
                      join raw in echo.Rounds on full.Record.Number equals raw.Record.Number
                      join http in bare.Rounds on full.Record.Number equals http.Record.Number
                      let costs = (Latency: full.MeanNs, Echo: CpuOf(raw), Http2: CpuOf(http), Grpc: CpuOf(full))
                      where costs is { Latency: not null, Echo: not null, Http2: not null, Grpc: not null }
                      select (Latency: costs.Latency!.Value, Echo: costs.Echo!.Value, Http2: costs.Http2!.Value, Grpc: costs.Grpc!.Value))
                          .ToList();
        if (rounds.Count == 0)
            return null;
        var alpha = StoppingRule.AlphaOf(run.Record.Options.RoundsAuto);
        LayerPart Part(Func<(double Latency, double Echo, double Http2, double Grpc), double> of) =>
            new(SignedRank.Estimate(rounds.Select(of)), SignedRank.IntervalOf(rounds.Select(of), alpha));
        var (total, transport, http2, grpc) = (Part(r => r.Latency), Part(r => r.Echo), Part(r => r.Http2 - r.Echo),
            Part(r => r.Grpc - r.Http2));
        // Estimates of parts need not add up to that of the whole: what is left over goes to the rest.
        var rest = Part(r => r.Latency - r.Grpc) with { Ns = total.Ns - transport.Ns - http2.Ns - grpc.Ns };
        return new LayerBudget
        {
            Call = call,
            Rounds = rounds.Count,
            Total = total,
            Transport = transport,
            Http2 = http2,
            Grpc = grpc,
            Rest = rest
        };
    }

    // Unclaimed time beyond soft interrupts is that of other programs. Some kernels charge soft interrupts to whom they interrupt: then
    // none is unclaimed.
    private static double? CpuOf(MeasurementView round) =>
        Metric.TotalCpu.Value(round) + Math.Min(Metric.UnattributedCpu.Value(round) ?? 0, Metric.Find("softirq")!.Value(round) ?? 0);
}

/// <summary>What one layer takes of a call, in ns.</summary>
/// <param name="Ns">May be below 0 where rounds scatter more than the layer costs.</param>
/// <param name="Interval">Of pairs of the same round; null when the rounds are too few for one.</param>
public sealed record LayerPart(double Ns, Interval? Interval)
{
    /// <summary>The interval leaves out 0: the layer costs something, as far as can be told.</summary>
    public bool IsResolved => Interval is { Low: > 0 } or { High: < 0 };
}
