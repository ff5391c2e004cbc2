using System.Buffers;

namespace IpcBench.Http2;

/// <summary>
/// Flow control of what the server sends: the windows we grant, what was used of them, and the credit we give. What a stream has used is
/// kept by the stream.
/// </summary>
/// <param name="window">Bytes, of a stream and of the connection.</param>
public sealed class ReceiveWindow(int window)
{
    /// <summary>1 GiB - 1, h2load's default too: flow control is not what is measured.</summary>
    public const int Ample = (1 << 30) - 1;

    private const uint MaxHeaderListSize = 64 * 1024;

    // A connection's window cannot be made smaller than its initial 65535 (RFC 9113, 6.9.2).
    private readonly int connectionWindow = Math.Max(window, Http2Settings.DefaultWindow);
    private int uncredited;

    public void WriteSettings(IBufferWriter<byte> output)
    {
        output.WriteSettings(
            (SettingId.EnablePush, 0u), (SettingId.InitialWindowSize, (uint)window), (SettingId.MaxHeaderListSize, MaxHeaderListSize));
        if (connectionWindow > Http2Settings.DefaultWindow)
            output.WriteWindowUpdate(0, connectionWindow - Http2Settings.DefaultWindow);
    }

    /// <summary>Counts a DATA frame, padding included, on the connection.</summary>
    /// <exception cref="Http2Exception">It is larger than the window allows.</exception>
    public void Take(int length)
    {
        uncredited += length;
        if (uncredited > connectionWindow)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the connection's window");
    }

    /// <summary>Counts a DATA frame, padding included, on its stream.</summary>
    /// <param name="length">Bytes.</param>
    /// <param name="streamUncredited">Bytes that the stream has received since its last credit.</param>
    /// <exception cref="Http2Exception">It is larger than the window allows.</exception>
    public void Take(int length, ref int streamUncredited)
    {
        streamUncredited += length;
        if (streamUncredited > window)
            throw new Http2Exception(Http2Error.FlowControl, "more DATA than the stream's window");
    }

    /// <summary>Half a window at a time: a tiny one is granted back often enough, an ample one costs next to nothing.</summary>
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
