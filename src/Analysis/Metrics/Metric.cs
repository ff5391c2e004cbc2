using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Metrics;

/// <summary>A metric of a round: its name, how it is computed and shown, and which direction is better.</summary>
/// <param name="Id">Stable name for scripts, columns and gates: <c>client_cpu</c>.</param>
/// <param name="Title">The name that reports show: <c>client CPU</c>.</param>
/// <param name="Unit">The unit of the computed value. <see cref="Wording.Quantity"/> converts the value to text.</param>
/// <param name="Value">Computes the value. Null when the round does not have the metric.</param>
/// <param name="AtLeast">Whether the value of a round is only a lower bound. Null for a metric that is never a lower bound.</param>
public sealed record Metric(
    string Id, string Title, Unit Unit, Better Better, Func<RoundMetrics, double?> Value, Func<RoundMetrics, bool>? AtLeast = null)
{
    /// <summary>Whether the metric is computed from latencies, so that the calls of several rounds can be counted together.</summary>
    public bool IsOfLatencies { get; private init; }

    /// <summary>
    /// Whether the metric is a cost per call. Other processes change this cost from round to round, so the median over
    /// the rounds is more accurate than the value of the round with the median rate.
    /// </summary>
    public bool IsCostOfCall => Unit is Unit.NanosecondsPerCall or Unit.PerCall;

    /// <summary>Whether the metric is only a lower bound in at least one of these rounds.</summary>
    public bool IsBound(IEnumerable<RoundMetrics> rounds) => AtLeast is { } atLeast && rounds.Any(atLeast);

    /// <summary>Returns the value as text with its unit. "–" when there is no value.</summary>
    public string Show(RoundMetrics reading) =>
        Value(reading) is { } value ? (AtLeast?.Invoke(reading) == true ? "≥ " : "") + Quantity.Show(value, Unit) : Quantity.None;

    public static Metric Rate { get; } = new("rps", "requests/s", Unit.PerSecond, Better.Higher, r => r.Rate);
    public static Metric Mean { get; } = new("mean", "mean latency", Unit.Nanoseconds, Better.Lower, r => r.MeanNs, r => r.IsIncomplete)
    { IsOfLatencies = true };
    public static Metric P50 { get; } = Percentile("p50", 50);
    public static Metric P95 { get; } = Percentile("p95", 95);
    public static Metric P99 { get; } = Percentile("p99", 99);
    public static Metric Max { get; } = new("max", "longest", Unit.Nanoseconds, Better.Lower, r => r.Latency.Longest,
        r => r.Latency.HasBounds)
    { IsOfLatencies = true };
    public static Metric ClientCpu { get; } = new("client_cpu", "client CPU/call", Unit.NanosecondsPerCall, Better.Lower,
        r => PerCall(RoundMetrics.CpuNs(r.Record.Client), r.ClientCalls));
    public static Metric ServerCpu { get; } = new("server_cpu", "server CPU/call", Unit.NanosecondsPerCall, Better.Lower,
        r => PerCall(r.Record.Server is { } s ? RoundMetrics.CpuNs(s) : null, r.ServerCalls));
    public static Metric UnattributedCpu { get; } = new("unattributed_cpu", "unattributed CPU/call", Unit.NanosecondsPerCall, Better.Lower,
        r => PerCall(r.UnattributedNs, r.ClientCalls));

    public static Metric TotalCpu { get; } = new("total_cpu", "client + server CPU/call", Unit.NanosecondsPerCall, Better.Lower,
        r => ClientCpu.Value(r) + ServerCpu.Value(r));

    /// <summary>The number of times per call that a waiting thread of the client was woken.</summary>
    public static Metric ClientWakeUps { get; } = new("client_wakeups", "client wake-ups/call", Unit.PerCall, Better.Lower,
        r => PerCall(r.Record.Client.VoluntarySwitches, r.ClientCalls));

    /// <summary>The number of times per call that a waiting thread of the server was woken.</summary>
    public static Metric ServerWakeUps { get; } = new("server_wakeups", "server wake-ups/call", Unit.PerCall, Better.Lower,
        r => PerCall(r.Record.Server?.VoluntarySwitches, r.ServerCounted));

    public static Metric Failed { get; } = new("failed", "failed", Unit.Count, Better.Lower, r => r.FailedCalls);

    public static IReadOnlyList<Metric> All { get; } =
    [
        Rate,
        new("payload", "payload/s", Unit.BytesPerSecond, Better.Higher, r => r.Record.PayloadBytes / r.Seconds),
        Mean,
        P50,
        Percentile("p90", 90),
        P99,
        Percentile("p99.9", 99.9),
        Percentile("p99.99", 99.99),
        Percentile("p99.999", 99.999),
        Max,
        ClientCpu,
        ServerCpu,
        UnattributedCpu,
        TotalCpu,
        new("client_user", "client user CPU/call", Unit.NanosecondsPerCall, Better.Lower,
            r => PerCall(r.Record.Client.CpuUserNs, r.ClientCalls)),
        new("client_kernel", "client kernel CPU/call", Unit.NanosecondsPerCall, Better.Lower,
            r => PerCall(r.Record.Client.CpuKernelNs, r.ClientCalls)),
        new("server_user", "server user CPU/call", Unit.NanosecondsPerCall, Better.Lower,
            r => PerCall(r.Record.Server?.CpuUserNs, r.ServerCalls)),
        new("server_kernel", "server kernel CPU/call", Unit.NanosecondsPerCall, Better.Lower,
            r => PerCall(r.Record.Server?.CpuKernelNs, r.ServerCalls)),
        new("softirq", "softirq CPU/call", Unit.NanosecondsPerCall, Better.Lower, r => PerCall(r.Record.Machine?.SoftIrqNs, r.ClientCalls)),
        new("client_switches", "client context switches/call", Unit.PerCall, Better.Lower,
            r => PerCall(Switches(r.Record.Client), r.ClientCalls)),
        new("server_switches", "server context switches/call", Unit.PerCall, Better.Lower,
            r => PerCall(Switches(r.Record.Server), r.ServerCounted)),
        ClientWakeUps,
        ServerWakeUps,
        new("client_preempted", "client threads preempted/call", Unit.PerCall, Better.Lower,
            r => PerCall(Preempted(r.Record.Client), r.ClientCalls)),
        new("server_preempted", "server threads preempted/call", Unit.PerCall, Better.Lower,
            r => PerCall(Preempted(r.Record.Server), r.ServerCounted)),
        OfLoop("client_receives", "client receives/call", loop => loop.Receives),
        OfLoop("client_empty_receives", "client receives that found nothing/call", loop => loop.EmptyReceives),
        OfLoop("client_sends", "client sends/call", loop => loop.Sends),
        OfLoop("client_waits", "client epoll_waits/call", loop => loop.Waits),
        new("client_allocated", "client bytes allocated/call", Unit.Bytes, Better.Lower,
            r => PerCall(r.Record.Client.AllocatedBytes, r.ClientCalls)),
        new("server_allocated", "server bytes allocated/call", Unit.Bytes, Better.Lower,
            r => r.Record.Server is { GcCollections.Count: > 0 } server ? PerCall(server.AllocatedBytes, r.ServerCounted) : null),
        new("client_gc", "client collections", Unit.Count, Better.Lower, r => r.Record.Client.GcCollections.FirstOrDefault()),
        new("server_gc", "server collections", Unit.Count, Better.Lower, r => r.Record.Server is { GcCollections: [var first, ..] }
            ? first : null),
        new("client_gc_pause", "client pause of collections", Unit.Nanoseconds, Better.Lower, r => r.Record.Client.GcPauseNs),
        new("server_gc_pause", "server pause of collections", Unit.Nanoseconds, Better.Lower,
            r => r.Record.Server is { GcCollections.Count: > 0 } server ? server.GcPauseNs : null),
        new("client_memory", "client working set", Unit.Bytes, Better.Lower, r => r.Record.Client.WorkingSetBytes),
        new("server_memory", "server working set", Unit.Bytes, Better.Lower, r => r.Record.Server?.WorkingSetBytes),
        new("connections", "connections opened", Unit.Count, Better.Higher, r => r.Record.Connections.Opened),
        new("active", "connections active", Unit.Count, Better.Higher, r => r.Record.Connections.Active),
        new("reopened", "connections reopened", Unit.Count, Better.Lower, r => r.Record.Connections.Reopened),
        new("connect_retries", "connects retried", Unit.Count, Better.Lower, r => r.Record.Connections.ConnectRetries),
        new("connect_p99", "connect time p99", Unit.Nanoseconds, Better.Lower,
            r => r.Record.Connections.ConnectTimesNs is [_, _, var p99, ..] ? p99 : null),
        new("threads", "threads that ran completions", Unit.Count, Better.Higher, r => r.Record.ThreadCalls.Count),
        new("fairness", "fairness of connections", Unit.Share, Better.Higher, r => r.Record.Connections.Fairness),
        new("service_p50", "service time p50", Unit.Nanoseconds, Better.Lower, r => r.ServiceTime.At(50)) { IsOfLatencies = true },
        new("service_p99", "service time p99", Unit.Nanoseconds, Better.Lower, r => r.ServiceTime.At(99)) { IsOfLatencies = true },
        new("lateness_p99", "lateness of sends p99", Unit.Nanoseconds, Better.Lower, r => r.Lateness.At(99), r => r.Lateness.IsBoundAt(99))
        { IsOfLatencies = true },
        Failed,
        new("cut_off", "cut off", Unit.Count, Better.Lower, r => r.Record.CutOff),
        new("not_sent", "due and not sent", Unit.Count, Better.Lower, r => r.Record.NotSent),
        OfServerLoop("server_receives", "server receives/call", loop => loop.Receives),
        OfServerLoop("server_empty_receives", "server receives that found nothing/call", loop => loop.EmptyReceives),
        OfServerLoop("server_sends", "server sends/call", loop => loop.Sends),
        OfServerLoop("server_waits", "server epoll_waits/call", loop => loop.Waits),
        new("blocked_stream", "writers blocked by the stream's window", Unit.Share, Better.Lower, r => r.Record.Blocked?.StreamWindow),
        new("blocked_connection", "writers blocked by the connection's window", Unit.Share, Better.Lower,
            r => r.Record.Blocked?.ConnectionWindow),
        new("blocked_socket", "writers blocked by the socket", Unit.Share, Better.Lower, r => r.Record.Blocked?.Socket),
        new("resume", "time until a blocked writer goes on", Unit.Nanoseconds, Better.Lower,
            r => r.Record.Blocked is { Times: > 0 } blocked ? blocked.ResumeNs : null),
        new("ahead", "most bytes ahead of a reader", Unit.Bytes, Better.Lower,
            r => r.Record.Blocked is { Times: > 0 } blocked ? blocked.AheadBytes : null),
        P95,
    ];

    /// <summary>The latency percentiles that most tables show.</summary>
    public static IReadOnlyList<Metric> Percentiles { get; } = [P50, Find("p90")!, P95, P99, Find("p99.9")!];

    /// <summary>Finds the metric with this ID, in upper or lower case. Null when no metric has this ID.</summary>
    public static Metric? Find(string id) => All.FirstOrDefault(metric => string.Equals(metric.Id, id, StringComparison.OrdinalIgnoreCase));

    private static Metric OfLoop(string id, string title, Func<LoopUsage, double> count) => new(id, title, Unit.PerCall, Better.Lower,
        r => PerCall(r.Record.Client.Loop is { } loop ? count(loop) : null, r.ClientCalls));

    private static Metric OfServerLoop(string id, string title, Func<LoopUsage, double> count) => new(id, title, Unit.PerCall, Better.Lower,
        r => PerCall(r.Record.Server?.Loop is { } loop ? count(loop) : null, r.ServerCounted));

    // Systems that do not count switches report 0.
    private static double? Switches(ProcessUsage? usage) => usage?.ContextSwitches is > 0 and var switches ? switches : null;

    private static double? Preempted(ProcessUsage? usage) => usage?.ContextSwitches - usage?.VoluntarySwitches;

    private static Metric Percentile(string id, double percentile) =>
        new(id, id, Unit.Nanoseconds, Better.Lower, r => r.Latency.At(percentile), r => r.Latency.IsBoundAt(percentile))
        { IsOfLatencies = true };

    private static double? PerCall(double? total, double calls) => calls == 0 ? null : total / calls;
}
