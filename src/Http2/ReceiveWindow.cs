using System.Buffers;

namespace IpcBench.Http2;

/// <summary>
/// Flow control of received DATA. Counts the received bytes for which the peer has not got new credit yet, and gives the
/// credit. This object counts for the connection, and each stream keeps its own count.
/// </summary>
/// <param name="window">The window of a stream and of the connection, in bytes.</param>
public sealed class ReceiveWindow(int window)
{
    /// <summary>
    /// 1 GiB - 1, which is also h2load's default. A window of this size is so large that flow control does not limit the load.
    /// </summary>
    public const int Ample = (1 << 30) - 1;

    private const uint MaxHeaderListSize = 64 * 1024;

    // The window of a connection cannot be smaller than its initial 65535 bytes (RFC 9113, 6.9.2).
    private readonly int connectionWindow = Math.Max(window, Http2Settings.DefaultWindow);
    private int uncredited;

    public void WriteSettings(IBufferWriter<byte> output)
    {
        output.WriteSettings(
            (SettingId.EnablePush, 0u), (SettingId.InitialWindowSize, (uint)window), (SettingId.MaxHeaderListSize, MaxHeaderListSize));
        if (connectionWindow > Http2Settings.DefaultWindow)
            output.WriteWindowUpdate(0, connectionWindow - Http2Settings.DefaultWindow);
    }

    /// <summary>Counts the length of a DATA frame, padding included, for the connection.</summary>
    /// <exception cref="Http2Exception">The frame exceeds the window.</exception>
    public void Take(int length)
    {
        uncredited += length;
        if (uncredited > connectionWindow)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the connection's window");
    }

    /// <summary>Counts a DATA frame, padding included, on its stream.</summary>
    /// <param name="length">The length of the frame in bytes.</param>
    /// <param name="streamUncredited">Bytes that the stream received since its last credit.</param>
    /// <exception cref="Http2Exception">The frame exceeds the window.</exception>
    public void Take(int length, ref int streamUncredited)
    {
        streamUncredited += length;
        if (streamUncredited > window)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the stream's window");
    }

    /// <summary>
    /// Gives the peer new credit once more than half of the stream's window is used. So even a tiny window never stays
    /// empty, and a large window costs almost no frames.
    /// </summary>
    public void CreditStream(int streamId, ref int streamUncredited, IBufferWriter<byte> output)
    {
        if (streamUncredited <= window / 2)
            return;
        output.WriteWindowUpdate(streamId, streamUncredited);
        streamUncredited = 0;
    }

    public void CreditConnection(IBufferWriter<byte> output)
    {
        if (uncredited <= connectionWindow / 2)
            return;
        output.WriteWindowUpdate(0, uncredited);
        uncredited = 0;
    }
}
