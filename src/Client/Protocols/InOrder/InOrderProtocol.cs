using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>
/// What calls are on a connection whose replies come in the order of the requests. One for each connection; never asked two things at a
/// time.
/// </summary>
internal abstract class InOrderProtocol
{
    /// <summary>It asks the server to close after the reply.</summary>
    public virtual bool ServerEndsFirst => false;

    /// <summary>A new connection: forgets what the last one had begun.</summary>
    public abstract void Reset();

    /// <summary>Appends one request.</summary>
    public abstract void Write(OutputBuffer output);

    /// <summary>Takes what belongs to the oldest open reply off the front of the bytes; they are gone when this returns.</summary>
    /// <param name="bytes">Not empty.</param>
    /// <param name="result">How the call went, when the reply is over.</param>
    public abstract ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result);

    /// <summary>What a call fails of when the server says more than it was asked.</summary>
    public virtual string Surplus => "protocol";

    /// <summary>The server has closed the connection in good order while a reply was due: how that call went.</summary>
    public virtual CallResult AtEnd() => CallResult.Failed("connection lost");
}

/// <summary>How far the oldest open reply of a connection has come.</summary>
internal enum ReplyEnd
{
    /// <summary>All bytes were taken and there is more to come.</summary>
    NotYet,

    /// <summary>It is over, and the connection goes on.</summary>
    Next,

    /// <summary>It is over, and so is the connection.</summary>
    Last,
}
