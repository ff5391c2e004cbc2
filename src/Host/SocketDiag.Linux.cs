using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>Lists sockets of this network namespace with sock_diag(7), as ss(8) does. This needs no privilege.</summary>
internal sealed partial class SocketDiag : IDisposable
{
    private const int Netlink = 16, Raw = 3, CloseOnExec = 0x80000, SockDiag = 4;
    private const int ByFamily = 20, RequestAndDump = 0x301, Done = 3, Failed = 2;
    private const int Header = 16;

    private readonly int socket = OpenSocket(Netlink, Raw | CloseOnExec, SockDiag);
    private readonly byte[] buffer = new byte[64 << 10];

    /// <exception cref="Win32Exception">This system has no sock_diag.</exception>
    public SocketDiag()
    {
        if (socket < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Receives the message of one socket, without its netlink header.</summary>
    public delegate void Each(ReadOnlySpan<byte> message);

    /// <summary>Requests all sockets that match, and calls <paramref name="each"/> with the message of each socket.</summary>
    /// <exception cref="Win32Exception">
    /// The kernel refused, for example because the module of the address family is missing.
    /// </exception>
    public void Dump(ReadOnlySpan<byte> request, Each each)
    {
        Span<byte> message = stackalloc byte[Header + request.Length];
        message.Clear();
        BinaryPrimitives.WriteInt32LittleEndian(message, message.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(message[4..], ByFamily);
        BinaryPrimitives.WriteUInt16LittleEndian(message[6..], RequestAndDump);
        request.CopyTo(message[Header..]);
        if (Send(socket, ref MemoryMarshal.GetReference(message), message.Length, 0) < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        while (Receive(each))
        {
        }
    }

    /// <summary>
    /// Finds the attribute of this type after the fixed part of a message. Empty when the message does not have the attribute.
    /// </summary>
    public static ReadOnlySpan<byte> Attribute(ReadOnlySpan<byte> message, int fixedPart, int type)
    {
        for (var rest = message[fixedPart..]; rest.Length >= 4;)
        {
            var length = BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (length < 4 || length > rest.Length)
                return default;
            if (BinaryPrimitives.ReadUInt16LittleEndian(rest[2..]) == type)
                return rest[4..length];
            rest = rest[Math.Min(rest.Length, (length + 3) & ~3)..];
        }
        return default;
    }

    public void Dispose() => _ = Close(socket);

    // Receives one datagram, which holds many messages. Returns false at the message that ends the dump.
    private bool Receive(Each each)
    {
        var received = (int)Receive(socket, ref buffer[0], buffer.Length, 0);
        if (received < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        for (var rest = buffer.AsSpan(0, received); rest.Length >= Header;)
        {
            var (length, type) = (BinaryPrimitives.ReadInt32LittleEndian(rest), BinaryPrimitives.ReadUInt16LittleEndian(rest[4..]));
            if (type == Done || length < Header || length > rest.Length)
                return false;
            if (type == Failed)
                throw new Win32Exception(-BinaryPrimitives.ReadInt32LittleEndian(rest[Header..]));
            each(rest[Header..length]);
            rest = rest[Math.Min(rest.Length, (length + 3) & ~3)..];
        }
        return received > 0;
    }

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    private static partial int OpenSocket(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    private static partial nint Send(int socket, ref byte buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    private static partial nint Receive(int socket, ref byte buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int descriptor);
}
