using System.Buffers.Binary;
using IpcBench.Client.Dialing;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Flow control of what the server sends: the windows we grant, what was used of them, and the credit we give.</summary>
internal sealed class ReceiveWindow(int window)
{
    /// <summary>1 GiB - 1, h2load's default too: flow control is not what is measured.</summary>
    public const int Ample = (1 << 30) - 1;

    private const int Initial = 65535;
    private const int MaxHeaderListSize = 64 * 1024;

    // A connection's window cannot be made smaller than its initial 65535 (RFC 9113, 6.9.2).
    private readonly int connectionWindow = Math.Max(window, Initial);
    private int uncredited;

    public void WriteSettings(OutputBuffer output)
    {
        ReadOnlySpan<(short Id, int Value)> settings = [(2, 0), (4, window), (6, MaxHeaderListSize)]; // ENABLE_PUSH, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE
        Span<byte> payload = stackalloc byte[settings.Length * 6];
        for (var i = 0; i < settings.Length; i++)
        {
            BinaryPrimitives.WriteInt16BigEndian(payload[(6 * i)..], settings[i].Id);
            BinaryPrimitives.WriteInt32BigEndian(payload[(6 * i + 2)..], settings[i].Value);
        }
        output.AppendFrame(FrameType.Settings, FrameFlags.None, 0, payload);
        if (connectionWindow > Initial)
            WriteUpdate(output, 0, connectionWindow - Initial);
    }

    /// <summary>Counts a DATA frame, padding included, on the connection and on its stream, if that still lives.</summary>
    public void Take(Http2Stream? stream, int length)
    {
        uncredited += length;
        if (uncredited > connectionWindow)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the connection's window");
        if (stream is null)
            return;
        stream.Uncredited += length;
        if (stream.Uncredited > window)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the stream's window");
    }

    /// <summary>Half a window at a time: a tiny one is granted back often enough, an ample one costs next to nothing.</summary>
    public void CreditStream(Http2Stream stream, OutputBuffer output)
    {
        if (stream.Uncredited <= window / 2)
            return;
        WriteUpdate(output, stream.Id, stream.Uncredited);
        stream.Uncredited = 0;
    }

    public void CreditConnection(OutputBuffer output)
    {
        if (uncredited <= connectionWindow / 2)
            return;
        WriteUpdate(output, 0, uncredited);
        uncredited = 0;
    }

    private static void WriteUpdate(OutputBuffer output, int streamId, int increment)
    {
        Span<byte> payload = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(payload, increment);
        output.AppendFrame(FrameType.WindowUpdate, FrameFlags.None, streamId, payload);
    }
}
