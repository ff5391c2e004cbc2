using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace IpcBench.Server.Endpoints;

/// <summary>Examines the files of Unix sockets.</summary>
internal static partial class SocketFile
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>Returns whether a served socket, a stale socket, another file or nothing is at the path.</summary>
    public static SocketFileState Probe(string path, UnixDomainSocketEndPoint endPoint)
    {
        if (!Path.Exists(path) && new FileInfo(path).LinkTarget is null)
            return SocketFileState.Absent;
        // On Linux connect(2) fails in the same way on a regular file and on a stale socket, so the file's type is checked
        // first.
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
    /// Waits for the end of a connect on a non-blocking socket. On Windows each such connect begins with WSAEWOULDBLOCK
    /// (connect, winsock2.h), even to a socket that nobody serves. A connect that takes longer than
    /// <paramref name="patience"/> has reached a busy server.
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
        // EAGAIN means that the accept queue of a busy server is full.
        SocketError.WouldBlock or SocketError.InProgress or SocketError.TimedOut => SocketFileState.Live,
        _ => SocketFileState.Other,
    };

    /// <summary>
    /// Creates the folder on Windows, where <c>/tmp</c> does not exist by default. Does nothing on Unix, where a
    /// missing folder is more likely a typing error.
    /// </summary>
    public static void MakeFolder(string path)
    {
        if (OperatingSystem.IsWindows() && Path.GetDirectoryName(path) is { Length: > 0 } folder)
            Directory.CreateDirectory(folder);
    }

    /// <summary>Denies other users access to the file. Returns false when the system refuses.</summary>
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
            // The file of a socket is a reparse point. Some versions of Windows cannot open it to change its access rules.
            return false;
        }
    }

    private static bool IsSocket(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            // On Windows the file of an AF_UNIX socket is an empty reparse point that is no link.
            var file = new FileInfo(path);
            return file.Exists && file.Attributes.HasFlag(FileAttributes.ReparsePoint) && file.LinkTarget is null && file.Length == 0;
        }
        // Outside Linux connect(2) itself tells that a file is no socket (ENOTSOCK).
        return !OperatingSystem.IsLinux() || (Look(path).Mode & TypeMask) == TypeSocket;
    }

    private const int TypeMask = 0xF000;
    private const int TypeSocket = 0xC000;

    /// <summary>
    /// Returns the device number and the inode number of a file, or two zeros when there is no file. Works on Linux
    /// only.
    /// </summary>
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

    // statx(2) is used in place of stat(2), because its structure is the same on every architecture.
    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);
}

/// <summary>What exists at the path of a new socket file.</summary>
internal enum SocketFileState
{
    Absent,

    /// <summary>A socket on which nobody listens, left behind by a server that was killed.</summary>
    Stale,

    /// <summary>A socket on which a server listens.</summary>
    Live,

    /// <summary>A file that is not a socket, or a socket to which this user may not connect.</summary>
    Other,
}
