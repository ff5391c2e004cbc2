namespace IpcBench.Transports;

/// <summary>Starts a child for each connection.</summary>
public sealed class ChildConnector(Address.Child address) : Connector
{
    public override ValueTask<Stream> ConnectAsync(CancellationToken cancellation) => new(Children.Start(address).ToStream());
}
