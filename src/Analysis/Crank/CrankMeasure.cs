using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Crank;

/// <summary>One number under the names that crank's dashboards read: a name of gRPC jobs, then the one of all HTTP jobs.</summary>
/// <param name="Name">As crank keeps it; <c>;</c> separates synonyms.</param>
/// <param name="Format">A .NET format, for crank's tables.</param>
/// <param name="Value">From a round; null when the round does not tell.</param>
internal sealed record CrankMeasure(string Name, string Description, string Format, Func<MeasurementView, double?> Value)
{
    private const double NsPerMs = 1e6, NsPerUs = 1e3;

    public static readonly IReadOnlyList<CrankMeasure> All =
    [
        new("grpc/rps/mean;http/rps/mean", "Requests/sec", "n0", round => round.Rate),
        new("grpc/requests;http/requests", "Requests", "n0", round => round.Record.Completed),
        new("grpc/errors/badresponses;http/requests/badresponses", "Bad responses", "n0", round => round.FailedCalls + round.Record.CutOff),
        new("grpc/latency/mean;http/latency/mean", "Mean latency (ms)", "n3", round => round.MeanNs / NsPerMs),
        Percentile(50),
        Percentile(75),
        Percentile(90),
        Percentile(99),
        new("grpc/latency/max;http/latency/max", "Max latency (ms)", "n3", round => Ms(round.Latency.Longest)),
        new("ipc/client-cpu-us", "Client CPU per call (us)", "n2", round => Metric.ClientCpu.Value(round) / NsPerUs),
        new("ipc/server-cpu-us", "Server CPU per call (us)", "n2", round => Metric.ServerCpu.Value(round) / NsPerUs),
    ];

    private static CrankMeasure Percentile(int percent) => new(
        FormattableString.Invariant($"grpc/latency/{percent};http/latency/{percent}"),
        FormattableString.Invariant($"{percent}th percentile latency (ms)"), "n3", round => Ms(round.Latency.At(percent)));

    private static double? Ms(double? ns) => ns / NsPerMs;
}
