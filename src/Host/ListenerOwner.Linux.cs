using System.Buffers.Binary;
using System.ComponentModel;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace IpcBench.Host;

public sealed partial record ListenerOwner
{
    private const int SolSocket = 1, PeerCredentials = 17; // SO_PEERCRED, unix(7)

    private static ListenerOwner FindLinux(LocalEndpoint endpoint) => endpoint switch
    {
        LocalEndpoint.UnixName unix => OfUnixSocket(unix.Name),
        LocalEndpoint.TcpPort tcp => OfPort(tcp),
        _ => Unknown("this system has no named pipes of Windows"),
    };

    // SO_PEERCRED of a connected Unix socket names the process that called listen(2). Other processes that hold the
    // socket are usually descendants, which have inherited the socket.
    private static ListenerOwner OfUnixSocket(string name)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(name));
            Span<byte> credentials = stackalloc byte[12]; // struct ucred: pid, uid, gid
            _ = socket.GetRawSocketOption(SolSocket, PeerCredentials, credentials);
            var pid = BinaryPrimitives.ReadInt32LittleEndian(credentials);
            return pid <= 0 ? Judge(pid, []) : Holds(pid, InodesOf(name)) ? new ListenerOwner(pid, "") : OfUnixHolders(name, pid);
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.WouldBlock or SocketError.TryAgain)
        {
            return Unknown($"the accept queue of {Shown(name)} is full, so the process that listens cannot be found");
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            var why = name[0] != '\0' && !File.Exists(name) ? "there is no such file" : e.Message;
            return Unknown($"no process that listens at {Shown(name)} was found: {why}");
        }
    }

    // Some servers, such as nginx, fork after listen(2), and only the child continues. So this method searches all
    // processes for the holders of the socket.
    private static ListenerOwner OfUnixHolders(string name, int listened)
    {
        var (holders, hidden) = Holders(InodesOf(name));
        return holders.Count > 0 || !hidden
            ? Choose(holders, ProcessTree.ParentFinder(), hidden)
            : Unknown(string.Create(CultureInfo.InvariantCulture,
                $"process {listened}, which began to listen at {Shown(name)}, has ended, and other users' open files may not be read"));
    }

    /// <summary>
    /// Returns whether the process has one of the sockets open. If its open files may not be read, or if the server
    /// bound the socket with another spelling of the path, returns whether the process exists.
    /// </summary>
    private static bool Holds(int pid, HashSet<uint> inodes)
    {
        try
        {
            return inodes.Count == 0 ? ProcessTree.StatOf(new SystemFiles(), pid) is not null : HasOpen(pid, Links(inodes));
        }
        catch (UnauthorizedAccessException)
        {
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Finds the inodes of the listening Unix sockets with this name. Empty on a kernel that cannot list its sockets.</summary>
    private static HashSet<uint> InodesOf(string name)
    {
        const int listen = 10, fixedPart = 16, nameAttribute = 0; // linux/unix_diag.h
        const uint showName = 1;
        var (inodes, wanted) = (new HashSet<uint>(), Encoding.UTF8.GetBytes(name));
        Span<byte> request = stackalloc byte[24];
        request.Clear();
        request[0] = 1; // AF_UNIX
        BinaryPrimitives.WriteUInt32LittleEndian(request[4..], 1u << listen);
        BinaryPrimitives.WriteUInt32LittleEndian(request[12..], showName);
        try
        {
            using var diag = new SocketDiag();
            diag.Dump(request, message =>
            {
                var bound = SocketDiag.Attribute(message, fixedPart, nameAttribute);
                if (bound.SequenceEqual(wanted) || bound.Length > 1 && bound[0] != 0 && bound[..^1].SequenceEqual(wanted))
                    inodes.Add(BinaryPrimitives.ReadUInt32LittleEndian(message[4..]));
            });
        }
        catch (Win32Exception)
        {
            inodes.Clear();
        }
        return inodes;
    }

    private static string Shown(string name) => name.Length > 0 && name[0] == '\0' ? "@" + name[1..] : name;

    private static ListenerOwner OfPort(LocalEndpoint.TcpPort endpoint)
    {
        var inodes = Inodes(endpoint);
        if (inodes.Count == 0)
            return Unknown(string.Create(CultureInfo.InvariantCulture, $"no process listens on TCP port {endpoint.Port} here"));
        var (holders, hidden) = Holders(inodes);
        if (holders.Count == 0 && hidden)
        {
            return Unknown(string.Create(CultureInfo.InvariantCulture,
                $"the process that listens on TCP port {endpoint.Port} belongs to another user: its open files may not be read"));
        }
        return Choose(holders, ProcessTree.ParentFinder(), hidden);
    }

    /// <summary>Finds the inodes of the listening sockets that a connection to this address can reach.</summary>
    private static HashSet<uint> Inodes(LocalEndpoint.TcpPort endpoint)
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
        // The kernel prefers a socket that is bound to the exact address to one that is bound to every address.
        return exact.Count > 0 ? exact : wide;
    }

    private static (HashSet<int> Holders, bool Hidden) Holders(HashSet<uint> inodes)
    {
        var (wanted, holders, hidden) = (Links(inodes), new HashSet<int>(), false);
        foreach (var pid in ProcessTree.Numbers())
        {
            try
            {
                if (HasOpen(pid, wanted))
                    holders.Add(pid);
            }
            catch (UnauthorizedAccessException)
            {
                hidden = true;
            }
            catch (IOException)
            {
                // The process has ended after it was listed.
            }
        }
        return (holders, hidden);
    }

    private static HashSet<string> Links(HashSet<uint> inodes) =>
        [.. inodes.Select(inode => string.Create(CultureInfo.InvariantCulture, $"socket:[{inode}]"))];

    private static bool HasOpen(int pid, HashSet<string> links) =>
        Directory.EnumerateFileSystemEntries(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/fd"))
            .Any(file => links.Contains(new FileInfo(file).LinkTarget ?? ""));
}
