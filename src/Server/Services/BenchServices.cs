using IpcBench.Protocol.V1;
using IpcBench.Server.Bytes;
using IpcBench.Server.Endpoints;

namespace IpcBench.Server.Services;

/// <summary>What the services answer, whichever stack carries it.</summary>
internal sealed class BenchServices(ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, Func<DescribeReply> describe)
{
    /// <summary>The replies of <c>Bench.Download</c>.</summary>
    public DownloadReplies Replies { get; } = new();

    /// <summary>The replies of bare HTTP/2.</summary>
    public BytesReplies Bytes { get; } = new();

    /// <summary>What large replies are written from.</summary>
    public WriteBudget Budget { get; } = new(options.WriteChunk);

    /// <summary>True when a payload of that many bytes is served; otherwise <paramref name="refusal"/> is the message of INVALID_ARGUMENT.</summary>
    public bool Accepts(long size, out string refusal)
    {
        refusal = size < 0
            ? FormattableString.Invariant($"size is {size}: it must not be negative")
            : size > options.MaxSize
                ? FormattableString.Invariant($"size is {size}: this server's limit is {options.MaxSize} bytes")
                : "";
        return refusal.Length == 0;
    }

    public DescribeReply Describe() => describe();

    public UsageReply Usage() => UsageMeter.Read(endpoints);
}
