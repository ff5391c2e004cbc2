using System.Runtime.InteropServices;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Echo;

/// <summary>Sends a packet and expects the same bytes back. Every byte is compared.</summary>
/// <param name="size">The size of a packet in bytes, at least 1.</param>
internal sealed class EchoProtocol(int size) : InOrderProtocol
{
    // Smaller packets are copied into one piece of memory, so that one send takes many of them.
    private const int LeastBorrowed = 32 << 10;

    private int nextOut;
    private int nextBack;
    private int arrived;

    public override void Reset() => (nextBack, arrived) = (nextOut, 0);

    public override void Write(OutputBuffer output)
    {
        if (size < LeastBorrowed)
            EchoPattern.Fill(output.Append(size), nextOut);
        else
            EchoPattern.Borrow(output, size, nextOut);
        nextOut = EchoPattern.Next(nextOut, size);
    }

    public override ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result)
    {
        var part = bytes[..Math.Min(bytes.Length, size - arrived)];
        bytes = bytes[part.Length..];
        result = CallResult.Ok(size);
        if (!EchoPattern.Matches(part, nextBack + arrived))
        {
            // The following bytes cannot be assigned to a packet any more. The next packet therefore goes over a new connection.
            result = CallResult.Failed("wrong bytes");
            return ReplyEnd.Last;
        }
        arrived += part.Length;
        if (arrived < size)
            return ReplyEnd.NotYet;
        (nextBack, arrived) = (EchoPattern.Next(nextBack, size), 0);
        return ReplyEnd.Next;
    }

    public override string Surplus => "wrong bytes";

    public override CallResult AtEnd() => CallResult.Failed(arrived > 0 ? "short reply" : FailureKind.ConnectionLost);
}

/// <summary>
/// The endless pattern of bytes from which packets are cut one after the other. Neighbouring bytes differ, and each
/// packet differs from the packets before and after it. A swapped, repeated or shifted reply is therefore detected.
/// </summary>
internal static class EchoPattern
{
    // The pattern repeats after this many bytes. The number is prime, so that packets begin at all places of the
    // pattern before two packets begin at the same place.
    private const int Period = 65_521;

    private static readonly byte[] Bytes = Make();

    /// <summary>Returns the place in the pattern of the packet that follows the packet at <paramref name="position"/>.</summary>
    public static int Next(int position, int size) => (int)(((long)position + size + (size % Period == 0 ? 1 : 0)) % Period);

    /// <summary>Fills <paramref name="packet"/> with the pattern from <paramref name="position"/> on.</summary>
    public static void Fill(Span<byte> packet, int position)
    {
        for (var at = position; packet.Length > 0; at = 0)
        {
            var part = Bytes.AsSpan(at, Math.Min(packet.Length, Period - at));
            part.CopyTo(packet);
            packet = packet[part.Length..];
        }
    }

    /// <summary>Appends <paramref name="size"/> bytes of the pattern from <paramref name="position"/> on, without copying them.</summary>
    public static void Borrow(OutputBuffer output, int size, int position)
    {
        for (var at = position; size > 0; at = 0)
        {
            var count = Math.Min(size, Period - at);
            output.Borrow(MemoryMarshal.CreateFromPinnedArray(Bytes, at, count));
            size -= count;
        }
    }

    /// <summary>True when the bytes equal the pattern from <paramref name="position"/> on.</summary>
    public static bool Matches(ReadOnlySpan<byte> bytes, int position)
    {
        for (var at = position % Period; bytes.Length > 0; at = 0)
        {
            var part = Bytes.AsSpan(at, Math.Min(bytes.Length, Period - at));
            if (!bytes[..part.Length].SequenceEqual(part))
                return false;
            bytes = bytes[part.Length..];
        }
        return true;
    }

    // The pattern is a series of runs. Each run has all 256 values in random order, so that equal values are seldom
    // close together.
    private static byte[] Make()
    {
        const int seed = 14;
        var random = new Random(seed);
        var run = new byte[256];
        for (var value = 0; value < run.Length; value++)
            run[value] = (byte)value;
        var bytes = GC.AllocateArray<byte>(Period, pinned: true); // a send of several parts then needs no GC handles
        for (var at = 0; at < bytes.Length; at += run.Length)
        {
            do
            {
                random.Shuffle(run);
            }
            while (at > 0 && run[0] == bytes[at - 1]);
            run.AsSpan(0, Math.Min(run.Length, bytes.Length - at)).CopyTo(bytes.AsSpan(at));
        }
        return bytes;
    }
}
