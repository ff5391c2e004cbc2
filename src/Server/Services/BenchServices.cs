using IpcBench.Host;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Services;

/// <summary>The answers of the services, for every stack.</summary>
internal sealed class BenchServices
{
    /// <summary>The message of INVALID_ARGUMENT for wrong numbers in a PullRequest.</summary>
    public const string WrongPull = "messages and chunk must not be negative, delay_ns must be from 0 to 3.6e12, and rate from 0 to 1e9";

    // A client that reads 13 MB/s reads as many bytes as the whole budget in this time.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly ServerOptions options;
    private readonly IReadOnlyList<ServerEndpoint> endpoints;
    private readonly Func<DescribeReply> describe;

    public BenchServices(ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, Func<DescribeReply> describe)
    {
        (this.options, this.endpoints, this.describe) = (options, endpoints, describe);
        Budget = new WriteBudget(options.WriteChunk);
        Whole = new WholeReplies(Budget, Patience);
    }

    public DownloadReplies Replies { get; } = new();

    /// <summary>The replies over HTTP/2 without gRPC. They are the payload alone, sliced from the shared pattern.</summary>
    public KeptBySize<ReplyFrame> Bytes { get; } = new((size, _) => new ReplyFrame(ReadOnlyMemory<byte>.Empty, size));

    public WriteBudget Budget { get; }

    /// <summary>Gives budget from <see cref="Budget"/> to stacks that write a reply in one piece.</summary>
    public WholeReplies Whole { get; }

    /// <summary>The largest payload in bytes, sent or received.</summary>
    public int MaxSize => this.options.MaxSize;

    /// <summary>Whether the numbers of the request are valid. If not, the error is <see cref="WrongPull"/>.</summary>
    public static bool Accepts(PullRequest request) =>
        request is { Messages: >= 0, Chunk: >= 0, DelayNs: >= 0 and <= 3_600_000_000_000, Rate: >= 0 and <= 1e9 };

    /// <summary>
    /// Whether a payload of this size is allowed. If not, <paramref name="refusal"/> is the message of INVALID_ARGUMENT.
    /// </summary>
    public bool Accepts(long size, out string refusal)
    {
        refusal = size < 0
            ? FormattableString.Invariant($"size is {size}: it must not be negative")
            : size > this.options.MaxSize
                ? FormattableString.Invariant($"size is {size}: this server's limit is {this.options.MaxSize} bytes")
                : "";
        return refusal.Length == 0;
    }

    public DescribeReply Describe() => this.describe();

    public UsageReply Usage() => UsageMeter.Read(this.endpoints);
}

/// <summary>Answers <c>Control.Usage</c>: what this process has used and served since its start.</summary>
internal static class UsageMeter
{
    private static readonly ulong ProcessNumber = BitConverter.ToUInt64(Guid.NewGuid().ToByteArray());

    public static UsageReply Read(IEnumerable<ServerEndpoint> endpoints)
    {
        const long nsPerTick = 100;
        var (cpu, switches) = (Environment.CpuUsage, ContextSwitches.Own());
        var reply = new UsageReply
        {
            CpuUserNs = cpu.UserTime.Ticks * nsPerTick,
            CpuKernelNs = cpu.PrivilegedTime.Ticks * nsPerTick,
            WorkingSetBytes = Environment.WorkingSet,
            GcPauseNs = GC.GetTotalPauseDuration().Ticks * nsPerTick,
            AllocatedBytes = GC.GetTotalAllocatedBytes(),
            ContextSwitches = switches.Sum,
            Process = ProcessNumber,
        };
        if (switches.Sum > 0)
            reply.VoluntarySwitches = switches.Voluntary;
        if (EventLoop.IsSupported && EventLoop.OfProcess is { } made)
        {
            reply.Loop = new LoopCalls
            {
                Receives = made.Receives,
                EmptyReceives = made.EmptyReceives,
                Sends = made.Sends,
                Waits = made.Waits,
            };
        }
        for (var generation = 0; generation <= GC.MaxGeneration; generation++)
            reply.GcCollections.Add(GC.CollectionCount(generation));
        reply.Endpoints.Add(endpoints.Select(endpoint => new EndpointUsage
        {
            Address = endpoint.Address.ToString(),
            Kind = endpoint.Address.Kind,
            Calls = endpoint.Counters.Calls,
            ConnectionsOpened = endpoint.Counters.ConnectionsOpened,
            ConnectionsOpen = endpoint.Counters.ConnectionsOpen,
        }));
        return reply;
    }
}
