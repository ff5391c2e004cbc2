using System.Buffers.Binary;

namespace IpcBench.Host;

/// <summary>TCP connections of some listening ports by state; both ends of a local connection are one connection.</summary>
/// <param name="ports">Of each endpoint; null for one that is not TCP.</param>
internal sealed class TcpStates(IReadOnlyList<ushort?> ports)
{
    // linux/tcp_states.h; inet_diag.h: the message has 72 bytes before its attributes, of which 2 is tcp_info.
    private const int Established = 1, SynSent = 2, SynReceived = 3, TimeWait = 6, NewSynReceived = 12, Listen = 10;
    private const int FixedPart = 72, Info = 2;
    private const uint Connections = 0xfff & ~(1u << Listen | 1u << TimeWait) | 1u << NewSynReceived;

    // The kernel's steps are jiffies of 1 to 10 ms: what moved both ways within one of them is busy as long as that is not long ago.
    private const uint BusyMs = 20;

    private readonly Dictionary<(int Watch, UInt128 Client, ushort Port), End> connections = [];

    [Flags]
    private enum End
    {
        Open = 1,
        NotOpen = 2,
        Connecting = 4,
        NotAccepted = 8,
        Busy = 16,
    }

    public void Read(SocketDiag diag, Span<ConnectionTally> tallies, bool timeWait)
    {
        connections.Clear();
        var timeWaits = new int[ports.Count];
        Span<byte> request = stackalloc byte[56];
        foreach (var family in (ReadOnlySpan<byte>)[2, 10])
        {
            request.Clear();
            (request[0], request[1], request[2]) = (family, 6, 1 << (Info - 1));
            BinaryPrimitives.WriteUInt32LittleEndian(request[4..], Connections | (timeWait ? 1u << TimeWait : 0));
            diag.Dump(request, message => Note(message, timeWaits));
        }
        foreach (var ((watch, _, _), ends) in connections)
            tallies[watch] = Count(tallies[watch], ends);
        for (var i = 0; i < timeWaits.Length; i++)
            tallies[i] = tallies[i] with { TimeWait = tallies[i].TimeWait + timeWaits[i] };
    }

    private void Note(ReadOnlySpan<byte> message, int[] timeWaits)
    {
        var source = BinaryPrimitives.ReadUInt16BigEndian(message[4..]);
        var destination = BinaryPrimitives.ReadUInt16BigEndian(message[6..]);
        for (var i = 0; i < ports.Count; i++)
        {
            if (ports[i] is not { } port || port != source && port != destination)
                continue;
            if (message[1] == TimeWait)
                timeWaits[i]++;
            else if (port == source)
                Add((i, Peer(message[24..]), destination), EndOf(message, isServer: true));
            else
                Add((i, Peer(message[8..]), source), EndOf(message, isServer: false));
        }
    }

    private void Add((int, UInt128, ushort) key, End end) => connections[key] = connections.GetValueOrDefault(key) | end;

    private static ConnectionTally Count(ConnectionTally tally, End ends) => ends switch
    {
        _ when (ends & (End.Connecting | End.NotAccepted)) != 0 => tally with { Waiting = tally.Waiting + 1 },
        _ when (ends & End.NotOpen) != 0 => tally with { Closing = tally.Closing + 1 },
        _ when (ends & End.Busy) != 0 => tally with { Active = tally.Active + 1 },
        _ => tally with { Idle = tally.Idle + 1 },
    };

    private static End EndOf(ReadOnlySpan<byte> message, bool isServer)
    {
        if (message[1] is SynSent or SynReceived or NewSynReceived)
            return End.Connecting;
        if (message[1] != Established)
            return End.NotOpen;
        var queued = BinaryPrimitives.ReadInt64LittleEndian(message[56..]) != 0; // rqueue and wqueue, 4 bytes each
        if (!isServer)
            return queued ? End.Open | End.Busy : End.Open;
        // A socket that nobody has accepted has no file and so no inode.
        if (BinaryPrimitives.ReadInt32LittleEndian(message[68..]) == 0)
            return End.NotAccepted;
        return queued || IsRequestOut(SocketDiag.Attribute(message, FixedPart, Info)) ? End.Open | End.Busy : End.Open;
    }

    // struct tcp_info: tcpi_last_data_sent at 44, tcpi_last_data_recv at 52, both ms ago.
    private static bool IsRequestOut(ReadOnlySpan<byte> info)
    {
        if (info.Length < 56)
            return false;
        var (sent, received) = (BinaryPrimitives.ReadUInt32LittleEndian(info[44..]), BinaryPrimitives.ReadUInt32LittleEndian(info[52..]));
        return received < sent || received == sent && received < BusyMs;
    }

    /// <summary>The 16 bytes of an address, with 127.0.0.1 and ::ffff:127.0.0.1 the same.</summary>
    private static UInt128 Peer(ReadOnlySpan<byte> address)
    {
        var value = BinaryPrimitives.ReadUInt128BigEndian(address);
        var isMapped = value >> 32 == 0xffff;
        return isMapped ? (value & uint.MaxValue) << 96 : value;
    }
}
