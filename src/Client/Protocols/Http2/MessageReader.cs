using IpcBench.Http2;
using IpcBench.Protocol;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Reads the messages of a stream one after the other and keeps nothing but their measures: this tool's own with their numbers, any others
/// as prefix and so many bytes.
/// </summary>
internal struct MessageReader(bool isOurs)
{
    private PayloadReader ours;
    private long length, left;
    private byte prefix;
    private bool isBroken;

    /// <summary>Nothing has come of a next message.</summary>
    public readonly bool IsBetween => isOurs ? ours.IsBetween : prefix == 0 || IsComplete;

    /// <summary>A whole message has come.</summary>
    public readonly bool IsComplete => isOurs ? ours.IsComplete : prefix == GrpcFraming.PrefixLength && left == 0;

    /// <summary>Not a gRPC message, or compressed without having been asked for.</summary>
    public readonly bool IsBroken => isOurs ? ours.IsBroken : isBroken;

    /// <summary>Bytes of the message; known once its prefix has come.</summary>
    public readonly long Length => isOurs ? ours.Length : length;

    /// <summary>Bytes of its payload, which is all of a message of others.</summary>
    public readonly long Size => isOurs ? ours.Size : length;

    /// <inheritdoc cref="PayloadReader.Stamp"/>
    public readonly ulong Stamp => ours.Stamp;

    /// <inheritdoc cref="PayloadReader.Sequence"/>
    public readonly uint Sequence => ours.Sequence;

    /// <summary>Takes bytes up to the end of one message and says how many; after a whole message the next one begins.</summary>
    public int Read(ReadOnlySpan<byte> bytes)
    {
        if (isOurs)
            return ours.Read(bytes);
        if (IsComplete)
            (prefix, length) = (0, 0);
        var taken = 0;
        for (; taken < bytes.Length && prefix < GrpcFraming.PrefixLength; taken++)
        {
            if (prefix++ == 0)
                isBroken = bytes[taken] != 0;
            else
                left = length = length << 8 | bytes[taken];
        }
        if (prefix < GrpcFraming.PrefixLength)
            return taken;
        var rest = (int)Math.Min(left, bytes.Length - taken);
        left -= rest;
        return taken + rest;
    }
}
