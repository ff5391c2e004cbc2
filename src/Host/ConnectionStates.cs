using System.Buffers.Binary;
using System.ComponentModel;
using System.Text;

namespace IpcBench.Host;

/// <summary>
/// Counts the connections of endpoints by state, whichever process opened or accepted them. Not safe for use by several threads.
/// </summary>
public sealed class ConnectionStates : IDisposable
{
    private readonly SocketDiag diag = new();
    private readonly TcpStates? tcp;
    private readonly UnixStates? unix;

    private ConnectionStates(IReadOnlyList<LocalEndpoint> endpoints)
    {
        tcp = endpoints.Any(endpoint => endpoint is LocalEndpoint.TcpPort)
            ? new TcpStates([.. endpoints.Select(endpoint => (ushort?)(endpoint as LocalEndpoint.TcpPort)?.Port)]) : null;
        unix = endpoints.Any(endpoint => endpoint is LocalEndpoint.UnixName)
            ? new UnixStates([.. endpoints.Select(endpoint => (endpoint as LocalEndpoint.UnixName)?.Name)]) : null;
    }

    /// <summary>
    /// Opens a counter that reads the states from Linux's sock_diag(7). Null when the system does not report the states.
    /// </summary>
    /// <param name="endpoints">The endpoints. A TCP endpoint stands for its port on every address. Pipes are not counted.</param>
    public static ConnectionStates? Open(IReadOnlyList<LocalEndpoint> endpoints)
    {
        ConnectionStates? states = null;
        try
        {
            if (!OperatingSystem.IsLinux())
                return null;
            states = new ConnectionStates(endpoints);
            states.Read(new ConnectionTally[endpoints.Count]); // throws if the kernel lacks the module of an address family
            return states;
        }
        catch (Win32Exception)
        {
            states?.Dispose();
            return null;
        }
    }

    /// <summary>
    /// Counts the connections of each endpoint. The counts have the order of the endpoints in <see cref="Open"/>.
    /// </summary>
    /// <param name="tallies">The counts of the previous call, which are overwritten.</param>
    /// <param name="timeWait">
    /// Whether to count connections in TIME_WAIT too. There may be thousands of them. False keeps their previous count.
    /// </param>
    public void Read(Span<ConnectionTally> tallies, bool timeWait = true)
    {
        foreach (ref var tally in tallies)
            tally = new ConnectionTally(0, 0, 0, 0, timeWait ? 0 : tally.TimeWait);
        tcp?.Read(diag, tallies, timeWait);
        unix?.Read(diag, tallies);
    }

    public void Dispose() => diag.Dispose();
}

/// <summary>
/// Counts the TCP connections of some listening ports by state. A connection within this machine has two ends and counts once.
/// </summary>
/// <param name="ports">The port of each endpoint. Null for an endpoint that is not TCP.</param>
internal sealed class TcpStates(IReadOnlyList<ushort?> ports)
{
    // The states are from linux/tcp_states.h. In inet_diag.h, a message has 72 bytes before its attributes, and attribute 2 is tcp_info.
    private const int Established = 1, SynSent = 2, SynReceived = 3, TimeWait = 6, NewSynReceived = 12, Listen = 10;
    private const int FixedPart = 72, Info = 2;
    private const uint Connections = 0xfff & ~(1u << Listen | 1u << TimeWait) | 1u << NewSynReceived;

    // The kernel measures the last send and the last receive in jiffies of 1 to 10 ms. If both were in the same jiffy,
    // their order is unknown. The connection then counts as busy for 20 ms.
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
        // A socket without an inode has no file yet, because the server has not accepted the connection.
        if (BinaryPrimitives.ReadInt32LittleEndian(message[68..]) == 0)
            return End.NotAccepted;
        return queued || IsRequestOut(SocketDiag.Attribute(message, FixedPart, Info)) ? End.Open | End.Busy : End.Open;
    }

    // A request is unanswered if the last receive came after the last send. In struct tcp_info, the time since the last
    // send is at 44 (tcpi_last_data_sent) and the time since the last receive at 52 (tcpi_last_data_recv), both in ms.
    private static bool IsRequestOut(ReadOnlySpan<byte> info)
    {
        if (info.Length < 56)
            return false;
        var (sent, received) = (BinaryPrimitives.ReadUInt32LittleEndian(info[44..]), BinaryPrimitives.ReadUInt32LittleEndian(info[52..]));
        return received < sent || received == sent && received < BusyMs;
    }

    /// <summary>Reads the 16 bytes of an address. 127.0.0.1 and ::ffff:127.0.0.1 give the same value.</summary>
    private static UInt128 Peer(ReadOnlySpan<byte> address)
    {
        var value = BinaryPrimitives.ReadUInt128BigEndian(address);
        var isMapped = value >> 32 == 0xffff;
        return isMapped ? (value & uint.MaxValue) << 96 : value;
    }
}

/// <summary>Counts the connections of some listening Unix sockets by state.</summary>
/// <param name="names">The name of each endpoint in the kernel's form. Null for an endpoint that is not a Unix socket.</param>
internal sealed class UnixStates(IReadOnlyList<string?> names)
{
    // In linux/unix_diag.h, a message has 16 bytes before its attributes. The dump omits the sockets in an accept
    // queue, but the message of the listening socket contains their number.
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
            // When a client closes, the server's end loses its peer, but stays established until the server closes too.
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
