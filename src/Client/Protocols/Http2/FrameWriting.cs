using IpcBench.Client.Dialing;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>HTTP/2 frames into an output buffer.</summary>
internal static class FrameWriting
{
    public static void AppendFrame(this OutputBuffer output, FrameType type, FrameFlags flags, int streamId, ReadOnlySpan<byte> payload)
    {
        var frame = output.Append(FrameHeader.Size + payload.Length);
        new FrameHeader(payload.Length, type, flags, streamId).Write(frame);
        payload.CopyTo(frame[FrameHeader.Size..]);
    }
}
