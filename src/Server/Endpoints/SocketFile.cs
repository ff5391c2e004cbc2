using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace IpcBench.Server.Endpoints;

/// <summary>Looks at the files of Unix sockets.</summary>
internal static partial class SocketFile
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>Tells a socket that is served from one that was left behind, and both from anything else.</summary>
    public static SocketFileState Probe(string path, UnixDomainSocketEndPoint endPoint)
    {
        if (!Path.Exists(path) && new FileInfo(path).LinkTarget is null)
            return SocketFileState.Absent;
        // connect(2) refuses a regular file exactly as it refuses a dead socket, so the type is asked for first.
        if (!IsSocket(path))
            return SocketFileState.Other;
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            socket.Connect(endPoint);
            return SocketFileState.Live;
        }
        catch (SocketException e) when (OperatingSystem.IsWindows() && e.SocketErrorCode == SocketError.WouldBlock)
        {
            return Outcome(socket, Patience);
        }
        catch (SocketException e)
        {
            return StateOf(e.SocketErrorCode);
        }
    }

    /// <summary>
    /// How a connect ends that was begun on a socket that does not block: on Windows each begins with WSAEWOULDBLOCK (connect, winsock2.h),
    /// also to a socket that nobody serves. One that takes longer has found a busy server.
    /// </summary>
    internal static SocketFileState Outcome(Socket connecting, TimeSpan patience)
    {
        var (writable, failed) = (new List<Socket> { connecting }, new List<Socket> { connecting });
        Socket.Select(null, writable, failed, patience);
        return StateOf((SocketError)(int)connecting.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)!);
    }

    private static SocketFileState StateOf(SocketError error) => error switch
    {
        SocketError.Success => SocketFileState.Live,
        SocketError.ConnectionRefused => SocketFileState.Stale,
        // The accept queue of a busy server is full (EAGAIN).
        SocketError.WouldBlock or SocketError.InProgress or SocketError.TimedOut => SocketFileState.Live,
        _ => SocketFileState.Other,
    };

    /// <summary>
    /// On Windows <c>/tmp</c> is no folder that exists by itself; on Unix a missing folder is more likely a typing error.
    /// </summary>
    public static void MakeFolder(string path)
    {
        if (OperatingSystem.IsWindows() && Path.GetDirectoryName(path) is { Length: > 0 } folder)
            Directory.CreateDirectory(folder);
    }

    /// <summary>Keeps other users away; false when the system does not let the file be changed.</summary>
    public static bool TryMakePrivate(string path)
    {
        if (OperatingSystem.IsWindows())
            return TryGrantOwnerAlone(path);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return true;
    }

    [SupportedOSPlatform("windows")]
    private static bool TryGrantOwnerAlone(string path)
    {
        try
        {
            using var user = WindowsIdentity.GetCurrent();
            var security = new FileSecurity();
            security.SetAccessRuleProtection(isProtected: true, preserveInheritance: false);
            security.AddAccessRule(new FileSystemAccessRule(user.User!, FileSystemRights.FullControl, AccessControlType.Allow));
            new FileInfo(path).SetAccessControl(security);
            return true;
        }
        catch (SystemException)
        {
            // A socket's file is a reparse point that not every version of Windows opens for this.
            return false;
        }
    }

    private static bool IsSocket(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            // An AF_UNIX file is an empty reparse point that is no link.
            var file = new FileInfo(path);
            return file.Exists && file.Attributes.HasFlag(FileAttributes.ReparsePoint) && file.LinkTarget is null && file.Length == 0;
        }
        return OperatingSystem.IsLinux() && (Look(path).Mode & TypeMask) == TypeSocket;
    }

    private const int TypeMask = 0xF000;
    private const int TypeSocket = 0xC000;

    /// <summary>What tells a file from any other that exists at the same time: its file system and its number there. Linux only.</summary>
    public static (ulong Device, ulong Inode) IdentityOf(string path)
    {
        var (_, device, inode) = Look(path);
        return (device, inode);
    }

    private static unsafe (int Mode, ulong Device, ulong Inode) Look(string path)
    {
        const int currentFolder = -100, doNotFollow = 0x100, wantType = 0x1, wantInode = 0x100;
        const int bufferBytes = 256, modeAt = 28, inodeAt = 32, deviceAt = 136;
        var buffer = stackalloc byte[bufferBytes];
        return Statx(currentFolder, path, doNotFollow, wantType | wantInode, buffer) == 0
            ? (*(ushort*)(buffer + modeAt), *(ulong*)(buffer + deviceAt), *(ulong*)(buffer + inodeAt))
            : default;
    }

    // statx(2) rather than stat(2): its structure is the same on every architecture.
    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);
}

/// <summary>What is found where a socket file is to be made.</summary>
internal enum SocketFileState
{
    /// <summary>Nothing.</summary>
    Absent,

    /// <summary>A socket on which nobody listens: left by a server that was killed.</summary>
    Stale,

    /// <summary>A socket on which somebody listens.</summary>
    Live,

    /// <summary>Not a socket, or one that may not be touched.</summary>
    Other,
}
