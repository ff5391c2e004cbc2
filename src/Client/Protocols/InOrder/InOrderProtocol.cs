using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>
/// Defines the calls of a connection whose replies come in the order of the requests. Each connection has a protocol
/// object of its own. One thread at a time uses the object.
/// </summary>
internal abstract class InOrderProtocol
{
    /// <summary>True when the request asks the server to close the connection after the reply.</summary>
    public virtual bool ServerEndsFirst => false;

    /// <summary>Prepares for the first reply on a new connection.</summary>
    public abstract void Reset();

    public abstract void Write(OutputBuffer output);

    /// <summary>
    /// Reads bytes of the oldest incomplete reply, and removes them from the front of <paramref name="bytes"/>. The bytes
    /// are valid only until this method returns.
    /// </summary>
    /// <param name="result">The result of the call, when the reply is complete.</param>
    public abstract ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result);

    /// <summary>The kind of failure when the server sends more bytes than the expected replies have.</summary>
    public virtual string Surplus => FailureKind.Protocol;

    /// <summary>Returns the result of the oldest call in flight when the server has closed the connection in an orderly way.</summary>
    public virtual CallResult AtEnd() => CallResult.Failed(FailureKind.ConnectionLost);
}
