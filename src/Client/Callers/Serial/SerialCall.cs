using IpcBench.Client.Callers.Links;

namespace IpcBench.Client.Callers.Serial;

/// <summary>One of the calls that may be out at a time on a serial connection.</summary>
internal sealed class SerialCall : LinkCall
{
    private readonly SerialConnection connection;

    public SerialCall(SerialConnection connection)
        : base(connection) => this.connection = connection;

    protected override void Send() => connection.Send(this);
}
