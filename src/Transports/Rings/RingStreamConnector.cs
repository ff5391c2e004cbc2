namespace IpcBench.Transports.Rings;

/// <summary>Starts a child for each connection through shared memory, and makes a stream of the connection.</summary>
public sealed class RingStreamConnector(Address.Child address, RingWait wait) : Connector
{
    public override ValueTask<Stream> ConnectAsync(CancellationToken cancellation) => new(RingConnector.Start(address, wait).ToStream());
}
