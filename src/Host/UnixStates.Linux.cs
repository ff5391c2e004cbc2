using System.Buffers.Binary;
using System.Text;

namespace IpcBench.Host;

/// <summary>Connections of some listening Unix sockets by state.</summary>
/// <param name="names">Of each endpoint as the kernel has it; null for one that is no Unix socket.</param>
internal sealed class UnixStates(IReadOnlyList<string?> names)
{
    // linux/unix_diag.h: 16 bytes before the attributes; sockets in an accept queue are not listed, the listener tells their number.
    private const int FixedPart = 16, NameAttribute = 0, PeerAttribute = 2, QueuesAttribute = 4;
    private const uint ShowNamePeerQueues = 0x01 | 0x04 | 0x10;
    private const int Established = 1, Listen = 10;
    private const byte Stream = 1;

    private readonly byte[]?[] encoded = [.. names.Select(name => name is null ? null : Encoding.UTF8.GetBytes(name))];
    private readonly Dictionary<uint, bool> queued = [];
    private readonly List<(int Watch, uint Inode, uint Peer)> ends = [];

    public void Read(SocketDiag diag, Span<ConnectionTally> tallies)
    {
        queued.Clear();
        ends.Clear();
        var waiting = new int[encoded.Length];
        Span<byte> request = stackalloc byte[24];
        request.Clear();
        request[0] = 1; // AF_UNIX
        BinaryPrimitives.WriteUInt32LittleEndian(request[4..], 1u << Established | 1u << Listen);
        BinaryPrimitives.WriteUInt32LittleEndian(request[12..], ShowNamePeerQueues);
        diag.Dump(request, message => Note(message, waiting));
        foreach (var (watch, inode, peer) in ends)
        {
            var tally = tallies[watch];
            // A closed client leaves an established server end without a peer until that is closed too.
            tallies[watch] = peer == 0 ? tally with { Closing = tally.Closing + 1 }
                : queued.GetValueOrDefault(inode) || queued.GetValueOrDefault(peer) ? tally with { Active = tally.Active + 1 }
                : tally with { Idle = tally.Idle + 1 };
        }
        for (var i = 0; i < waiting.Length; i++)
            tallies[i] = tallies[i] with { Waiting = tallies[i].Waiting + waiting[i] };
    }

    private void Note(ReadOnlySpan<byte> message, int[] waiting)
    {
        if (message[1] != Stream)
            return;
        var inode = BinaryPrimitives.ReadUInt32LittleEndian(message[4..]);
        var queues = SocketDiag.Attribute(message, FixedPart, QueuesAttribute);
        var isListening = message[2] == Listen;
        if (!isListening && queues.Length >= 8 && BinaryPrimitives.ReadInt64LittleEndian(queues) != 0)
            queued[inode] = true;
        var name = SocketDiag.Attribute(message, FixedPart, NameAttribute);
        var watch = name.IsEmpty ? -1 : IndexOf(name);
        if (watch < 0)
            return;
        var peer = SocketDiag.Attribute(message, FixedPart, PeerAttribute);
        if (isListening)
            waiting[watch] += queues.Length >= 4 ? BinaryPrimitives.ReadInt32LittleEndian(queues) : 0;
        else
            ends.Add((watch, inode, peer.Length >= 4 ? BinaryPrimitives.ReadUInt32LittleEndian(peer) : 0));
    }

    private int IndexOf(ReadOnlySpan<byte> name)
    {
        var plain = name[^1] == 0 && name[0] != 0 ? name[..^1] : name;
        for (var i = 0; i < encoded.Length; i++)
        {
            if (encoded[i] is { } wanted && plain.SequenceEqual(wanted))
                return i;
        }
        return -1;
    }
}
