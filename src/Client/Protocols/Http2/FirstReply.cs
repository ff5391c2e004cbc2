using System.Buffers;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Keeps the bytes of a reply that will be checked. The bytes of other replies are only counted.</summary>
internal sealed class FirstReply
{
    /// <summary>The longest reply that is kept. The limit keeps a hostile server from filling the memory.</summary>
    public const int MostBytes = 64 << 20;

    private readonly ArrayBufferWriter<byte> bytes = new();
    private bool isTooLong;

    /// <summary>The message without its prefix, or null when it is too long. Use it only after a complete reply.</summary>
    public byte[]? Message => isTooLong ? null : bytes.WrittenSpan[Math.Min(GrpcFraming.PrefixLength, bytes.WrittenCount)..].ToArray();

    public void Add(ReadOnlySpan<byte> part)
    {
        isTooLong |= bytes.WrittenCount + part.Length > MostBytes;
        if (!isTooLong)
            bytes.Write(part);
    }
}
