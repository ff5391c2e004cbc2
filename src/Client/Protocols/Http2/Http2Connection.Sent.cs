using System.Buffers.Binary;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

// What the client says, as far as the server's windows allow.
internal sealed partial class Http2Connection
{
    /// <summary>Sends a call's request, or as much as the server's window allows; only when <see cref="IsReady"/>.</summary>
    public void Send(Http2Stream stream)
    {
        var id = nextId;
        nextId = id == LargestId ? 0 : id + 2;
        IsDraining |= nextId == 0;
        var message = request.Message;
        stream.BeginRequest(id, message.Length, peer.InitialWindow);
        streams.Add(id, stream);
        if (fields.IsSteady && sendWindow >= message.Length && peer.InitialWindow >= message.Length)
        {
            WriteWhole(id);
            sendWindow -= message.Length;
            stream.SendWindow -= message.Length;
            stream.Unsent = 0;
            return;
        }
        output.AppendFrame(FrameType.Headers, FrameFlags.EndHeaders | (request.IsBare ? FrameFlags.EndStream : FrameFlags.None), id, fields.Next());
        if (!request.IsBare && !TrySendRest(stream))
            blocked.Add(stream);
    }

    private void SendBlocked()
    {
        if (blocked.Count > 0)
            blocked.RemoveAll(TrySendRest);
    }

    /// <summary>Sends what the windows allow of a request's DATA; true when that was all of it.</summary>
    private bool TrySendRest(Http2Stream stream)
    {
        var message = request.Message;
        var count = (int)Math.Min(stream.Unsent, Math.Min(sendWindow, stream.SendWindow));
        if (count <= 0)
            return false;
        var isLast = count == stream.Unsent;
        output.AppendFrame(FrameType.Data, isLast ? FrameFlags.EndStream : FrameFlags.None, stream.Id, message.AsSpan(message.Length - stream.Unsent, count));
        stream.Unsent -= count;
        stream.SendWindow -= count;
        sendWindow -= count;
        return isLast;
    }

    private void WriteWhole(int id)
    {
        var frames = output.Append(request.IndexedFrames.Length);
        request.IndexedFrames.CopyTo(frames);
        BinaryPrimitives.WriteInt32BigEndian(frames[5..], id);
        if (!request.IsBare)
            BinaryPrimitives.WriteInt32BigEndian(frames[request.SecondIdOffset..], id);
    }

    private void WriteReset(int id, Http2Error error)
    {
        Span<byte> code = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(code, (int)error);
        output.AppendFrame(FrameType.RstStream, FrameFlags.None, id, code);
    }

    private void WriteGoAway(Http2Error error)
    {
        Span<byte> payload = stackalloc byte[8];
        BinaryPrimitives.WriteInt32BigEndian(payload, 0); // a client's peer opens no streams
        BinaryPrimitives.WriteInt32BigEndian(payload[4..], (int)error);
        output.AppendFrame(FrameType.GoAway, FrameFlags.None, 0, payload);
    }
}
