using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.CalibrationServer;

/// <summary>Answers one connection on an event loop: two system calls per read pass, nothing allocated per call.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopResponder : ILoopHandler
{
    private readonly ResponderConnection connection;
    private readonly LoopSocket socket;
    private readonly byte[] scratch;
    private byte[] unsent = [];
    private int unsentStart, unsentEnd;

    private LoopResponder(EventLoop loop, Socket accepted, ReplyShelf shelf, byte[] scratch)
    {
        connection = new ResponderConnection(shelf);
        this.scratch = scratch;
        accepted.Blocking = false;
        socket = LoopSocket.Adopt(loop, accepted, this);
    }

    /// <summary>Takes the socket over; from any thread.</summary>
    /// <param name="loop">Watches it from now on.</param>
    /// <param name="scratch">Shared by all connections of the loop.</param>
    /// <param name="shelf">The replies.</param>
    /// <param name="accepted">The connection.</param>
    public static void Attach(EventLoop loop, byte[] scratch, ReplyShelf shelf, Socket accepted) =>
        loop.Post(_ => new LoopResponder(loop, accepted, shelf, scratch), null);

    public void OnReadable()
    {
        var buffer = socket.Loop.ReceiveBuffer.AsSpan();
        for (var more = true; more && !socket.IsClosed;)
        {
            var count = socket.Receive(buffer);
            if (count == LoopSocket.WouldBlock)
                return;
            more = socket.MayHoldMore;
            if (count <= 0 || !connection.Take(buffer[..count]))
                socket.Close();
            else
                Send();
        }
    }

    public void OnWritable()
    {
        if (SendRest())
            Send();
    }

    private void Send()
    {
        while (unsentStart == unsentEnd)
        {
            var filled = connection.Fill(scratch);
            if (filled == 0)
                return;
            var sent = SendSome(scratch.AsSpan(0, filled));
            if (sent < 0 || sent == filled)
                continue;
            Keep(scratch.AsSpan(sent, filled - sent));
            socket.WantWritable();
        }
    }

    private bool SendRest()
    {
        var sent = SendSome(unsent.AsSpan(unsentStart, unsentEnd - unsentStart));
        if (sent < 0)
            return false;
        unsentStart += sent;
        if (unsentStart == unsentEnd)
            return true;
        socket.WantWritable();
        return false;
    }

    private void Keep(ReadOnlySpan<byte> rest)
    {
        if (unsent.Length < rest.Length)
            unsent = new byte[scratch.Length];
        rest.CopyTo(unsent);
        (unsentStart, unsentEnd) = (0, rest.Length);
    }

    /// <summary>Bytes sent, 0 when there is no room; -1 when the connection is gone, and then closed.</summary>
    private int SendSome(ReadOnlySpan<byte> bytes)
    {
        var sent = socket.Send(bytes);
        if (sent >= 0)
            return sent;
        if (sent == LoopSocket.WouldBlock)
            return 0;
        socket.Close();
        (unsentStart, unsentEnd) = (0, 1);      // nothing more is filled
        return -1;
    }
}
