using IpcBench.Client.Dialing;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>One of the calls that may be out at a time on a serial connection.</summary>
internal sealed class SerialCall : LinkCall
{
    private readonly SerialConnection connection;

    public SerialCall(SerialConnection connection)
        : base(connection) => this.connection = connection;

    protected override void Send() => connection.Send(this);
}
