namespace IpcBench.Http2;

/// <summary>HTTP/2 frame flags. On SETTINGS and PING, the bit of <see cref="EndStream"/> is <see cref="Ack"/>.</summary>
[Flags]
public enum FrameFlags : byte
{
    None = 0,
    EndStream = 0x1,
    Ack = 0x1,
    EndHeaders = 0x4,
    Padded = 0x8,
    Priority = 0x20,
}
