using Google.Protobuf;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Asks a server about itself, outside the measured windows: what the server counts then checks what the engine counts.</summary>
internal sealed class ControlClient(Address address, ConnectorOptions options) : IDisposable
{
    private readonly GrpcCaller caller = new(address, options);

    public Address Address => caller.Address;

    /// <summary>What the server is; null when it has no Control service.</summary>
    /// <exception cref="IOException">Nobody answers there.</exception>
    public Task<DescribeReply?> DescribeAsync(CancellationToken cancellation) =>
        CallAsync("Describe", new DescribeRequest(), DescribeReply.Parser, cancellation);

    /// <summary>What the server has used and served; null when it does not tell.</summary>
    /// <exception cref="IOException">Nobody answers there.</exception>
    public Task<UsageReply?> UsageAsync(CancellationToken cancellation) =>
        CallAsync("Usage", new UsageRequest(), UsageReply.Parser, cancellation);

    /// <summary>How the server answers one call of Download.</summary>
    /// <exception cref="IOException">Nobody answers there.</exception>
    public Task<GrpcAnswer> DownloadAsync(long size, CancellationToken cancellation) =>
        caller.CallAsync("/ipcbench.v1.Bench/Download", new DownloadRequest { Size = size }.ToByteArray(), cancellation);

    public void Dispose() => caller.Dispose();

    private async Task<T?> CallAsync<T>(string method, IMessage request, MessageParser<T> parser, CancellationToken cancellation)
        where T : class, IMessage<T>
    {
        var answer = await caller.CallAsync("/ipcbench.v1.Control/" + method, request.ToByteArray(), cancellation);
        try
        {
            return answer is { HttpStatus: 200, Status: 0, Message: { } message } ? parser.ParseFrom(message.Span) : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
