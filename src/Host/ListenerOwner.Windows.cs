using System.Buffers.Binary;
using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Host;

public sealed partial record ListenerOwner
{
    private const int AfInet = 2, AfInet6 = 23, OwnerPidListener = 3; // TCP_TABLE_OWNER_PID_LISTENER, iprtrmib.h
    private const int UnixPeerPid = 0x58000100; // SIO_AF_UNIX_GETPEERPID, afunix.h
    private const int PipePatienceMs = 500;

    private static ListenerOwner FindWindows(LocalEndpoint endpoint) => endpoint switch
    {
        LocalEndpoint.WindowsPipe pipe => OfPipe(pipe.Name),
        LocalEndpoint.TcpPort tcp => Choose(Listeners(tcp), ProcessTree.ParentFinder()),
        LocalEndpoint.UnixName unix => OfUnixSocketWindows(unix.Name),
        _ => Unknown("this address has no process"),
    };

    private static ListenerOwner OfPipe(string name)
    {
        using var pipe = new NamedPipeClientStream(".", name, PipeDirection.InOut);
        pipe.Connect(PipePatienceMs);
        return GetNamedPipeServerProcessId(pipe.SafePipeHandle, out var pid)
            ? new ListenerOwner((int)pid, "")
            : Unknown($"the process behind the pipe {name} could not be found: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    private static ListenerOwner OfUnixSocketWindows(string path)
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            socket.Connect(new UnixDomainSocketEndPoint(path));
            var pid = new byte[4];
            socket.IOControl(UnixPeerPid, null, pid);
            return new ListenerOwner(BinaryPrimitives.ReadInt32LittleEndian(pid), "");
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            return Unknown($"no process that listens at {path} was found: {e.Message}");
        }
    }

    private static HashSet<int> Listeners(LocalEndpoint.TcpPort endpoint)
    {
        var (exact, wide) = (new HashSet<int>(), new HashSet<int>());
        // MIB_TCPROW_OWNER_PID has state, address, port, …, pid. MIB_TCP6ROW_OWNER_PID has address, scope, port, …, pid.
        Add(AfInet, row: 24, address: 4, length: 4, port: 8, pid: 20);
        Add(AfInet6, row: 56, address: 0, length: 16, port: 20, pid: 52);
        return exact.Count > 0 ? exact : wide;

        void Add(int family, int row, int address, int length, int port, int pid)
        {
            var table = Table(family);
            var rows = table.Length < 4 ? 0 : BitConverter.ToInt32(table, 0);
            for (var i = 0; i < rows && 4 + (i + 1) * row <= table.Length; i++)
            {
                var one = table.AsSpan(4 + i * row, row);
                if (BinaryPrimitives.ReadUInt16BigEndian(one[port..]) != endpoint.Port)
                    continue;
                var bound = new IPAddress(one.Slice(address, length));
                var owner = BinaryPrimitives.ReadInt32LittleEndian(one[pid..]);
                if (bound.Equals(IPAddress.Any) || bound.Equals(IPAddress.IPv6Any))
                    wide.Add(owner);
                else if (endpoint.Ip is null ? IPAddress.IsLoopback(bound) : bound.Equals(endpoint.Ip))
                    exact.Add(owner);
            }
        }
    }

    // The table begins with the number of rows. The table may grow between the call for its size and the call that reads the rows.
    private static byte[] Table(int family)
    {
        const uint tooSmall = 122; // ERROR_INSUFFICIENT_BUFFER
        var (table, size) = (Array.Empty<byte>(), 0u);
        for (var attempt = 0; attempt < 5; attempt++)
        {
            var answer = GetExtendedTcpTable(table, ref size, 0, family, OwnerPidListener, 0);
            if (answer == 0)
                return table;
            if (answer != tooSmall)
                break;
            table = new byte[size];
        }
        return [];
    }

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetNamedPipeServerProcessId(SafePipeHandle pipe, out uint pid);

    [LibraryImport("iphlpapi")]
    private static partial uint GetExtendedTcpTable([Out] byte[] table, ref uint size, int sorted, int family, int kind, uint reserved);
}
