using System.Buffers;
using Google.Protobuf;
using IpcBench.Protocol.V1;

namespace IpcBench.Server.Services;

/// <summary>Reads the one field of a <see cref="DownloadRequest"/>.</summary>
internal static class DownloadSize
{
    private static readonly MessageParser<DownloadRequest> Parser = DownloadRequest.Parser.WithDiscardUnknownFields(true);

    /// <summary>Returns the size asked for.</summary>
    /// <exception cref="InvalidProtocolBufferException">The message is none.</exception>
    public static long Parse(in ReadOnlySequence<byte> message)
    {
        if (message.IsEmpty)
            return 0;
        if (message.IsSingleSegment && TryParsePlain(message.FirstSpan, out var size))
            return size;
        return Parser.ParseFrom(message).Size;
    }

    // What every generated client sends: the tag and a varint of at most nine bytes. Spares an object per call.
    private static bool TryParsePlain(ReadOnlySpan<byte> message, out long size)
    {
        const byte tag = (DownloadRequest.SizeFieldNumber << 3) | (byte)WireFormat.WireType.Varint;
        const int mostBytes = 10;
        size = 0;
        if (message[0] != tag || message.Length is < 2 or > mostBytes)
            return false;
        for (var at = 1; at < message.Length; at++)
        {
            size |= (long)(message[at] & 0x7F) << (7 * (at - 1));
            if (message[at] < 0x80)
                return at == message.Length - 1;
        }
        return false;
    }
}
