using IpcBench.Client.Dialing;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>One of the calls that may be out at a time on a serial connection.</summary>
internal sealed class InOrderStream : CallStream
{
    private readonly InOrderConnection connection;

    public InOrderStream(InOrderConnection connection)
        : base(connection) => this.connection = connection;

    protected override void Send() => connection.Send(this);
}
