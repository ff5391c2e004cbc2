using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace IpcBench.Host;

public sealed partial record ListenerOwner
{
    private const int SolSocket = 1, PeerCredentials = 17; // SO_PEERCRED, unix(7)

    private static ListenerOwner FindLinux(LocalEndpoint endpoint) => endpoint switch
    {
        LocalEndpoint.Unix unix => OfUnixSocket(unix.Name),
        LocalEndpoint.Tcp tcp => OfPort(tcp),
        _ => Unknown("named pipes of Windows are not here"),
    };

    // Of a connected Unix socket the kernel tells who called listen(2); a process that inherited the socket is that one's child.
    private static ListenerOwner OfUnixSocket(string name)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(name));
            Span<byte> credentials = stackalloc byte[12]; // struct ucred: pid, uid, gid
            _ = socket.GetRawSocketOption(SolSocket, PeerCredentials, credentials);
            var pid = BinaryPrimitives.ReadInt32LittleEndian(credentials);
            return pid > 0 ? new ListenerOwner(pid, "") : Judge(pid, []);
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.WouldBlock or SocketError.TryAgain)
        {
            return Unknown($"the accept queue of {Shown(name)} is full, so that the process behind it cannot be asked for");
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            return Unknown($"no process that listens at {Shown(name)} was found: {e.Message}");
        }
    }

    private static string Shown(string name) => name.Length > 0 && name[0] == '\0' ? "@" + name[1..] : name;

    private static ListenerOwner OfPort(LocalEndpoint.Tcp endpoint)
    {
        var inodes = Inodes(endpoint);
        if (inodes.Count == 0)
            return Unknown(string.Create(CultureInfo.InvariantCulture, $"no process listens on TCP port {endpoint.Port} here"));
        var (holders, hidden) = Holders(inodes);
        if (holders.Count == 0 && hidden)
        {
            return Unknown(string.Create(CultureInfo.InvariantCulture,
                $"the process that listens on TCP port {endpoint.Port} belongs to another user: what it has open may not be read"));
        }
        return Choose(holders, ProcessTree.ParentFinder());
    }

    /// <summary>Of the listening sockets that a connection to this address may reach.</summary>
    private static HashSet<uint> Inodes(LocalEndpoint.Tcp endpoint)
    {
        const int listen = 10, tcp = 6, tcpInode = 68;
        var (exact, wide) = (new HashSet<uint>(), new HashSet<uint>());
        using var diag = new SocketDiag();
        Span<byte> request = stackalloc byte[56];
        foreach (var family in (ReadOnlySpan<byte>)[2, 10])
        {
            request.Clear();
            (request[0], request[1]) = (family, tcp);
            BinaryPrimitives.WriteUInt32LittleEndian(request[4..], 1u << listen);
            diag.Dump(request, message =>
            {
                if (BinaryPrimitives.ReadUInt16BigEndian(message[4..]) != endpoint.Port)
                    return;
                var ip = new IPAddress(message.Slice(8, message[0] == 2 ? 4 : 16));
                var bound = ip.IsIPv4MappedToIPv6 ? ip.MapToIPv4() : ip;
                var inode = BinaryPrimitives.ReadUInt32LittleEndian(message[tcpInode..]);
                if (bound.Equals(IPAddress.Any) || bound.Equals(IPAddress.IPv6Any))
                    wide.Add(inode);
                else if (endpoint.Ip is null ? IPAddress.IsLoopback(bound) : bound.Equals(endpoint.Ip))
                    exact.Add(inode);
            });
        }
        // The kernel prefers a socket that is bound to the address itself.
        return exact.Count > 0 ? exact : wide;
    }

    private static (HashSet<int> Holders, bool Hidden) Holders(HashSet<uint> inodes)
    {
        var wanted = inodes.Select(inode => string.Create(CultureInfo.InvariantCulture, $"socket:[{inode}]")).ToHashSet();
        var (holders, hidden) = (new HashSet<int>(), false);
        foreach (var pid in ProcessTree.Numbers())
        {
            try
            {
                var open = Directory.EnumerateFileSystemEntries(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/fd"));
                if (open.Any(file => wanted.Contains(new FileInfo(file).LinkTarget ?? "")))
                    holders.Add(pid);
            }
            catch (UnauthorizedAccessException)
            {
                hidden = true;
            }
            catch (IOException)
            {
                // Ended meanwhile.
            }
        }
        return (holders, hidden);
    }
}
