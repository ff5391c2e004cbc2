using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Server.Endpoints;

/// <summary>
/// The file of a Unix socket that this server has bound, on Linux. If the file was removed and another server has bound
/// the same path, the new file must stay. On other systems this class is not used: System.Net.Sockets removes the file
/// by its name when the socket closes.
/// </summary>
internal sealed class OwnSocketFile
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(0.2);

    private readonly string path;
    private readonly bool isShared;
    private (ulong Device, ulong Inode)? identity;

    private OwnSocketFile(string path, bool isShared)
    {
        (this.path, this.isShared) = (path, isShared);
        identity = SocketFile.IdentityOf(path);
    }

    /// <summary>Takes over the file of a socket that was just bound.</summary>
    /// <param name="socket">
    /// In: the socket as it was bound. Out: another object for the same socket, which does not remove the file when it closes.
    /// </param>
    /// <param name="isShared">
    /// True if other servers could bind the same path. The file is then removed under a <see cref="FolderLock"/>.
    /// </param>
    /// <returns>The file. Null when System.Net.Sockets removes the file.</returns>
    public static OwnSocketFile? TakeOver(string path, ref Socket socket, bool isShared)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var binder = socket;
        socket = new Socket(binder.SafeHandle);
        // Without this call, the finalizer of the old object would close the handle that both objects share, and remove the file.
        GC.SuppressFinalize(binder);
        return new OwnSocketFile(path, isShared);
    }

    /// <summary>Removes the file if it is still the file that was bound. Call this while the socket is open.</summary>
    public void Remove()
    {
        if (identity is not { } own)
            return;
        identity = null;
        // The lock of the folder keeps other servers from binding between the check and the removal.
        using (isShared ? FolderLock.Take(this.path, Patience) : null)
        {
            if (SocketFile.IdentityOf(this.path) != own)
                return;
            try
            {
                File.Delete(this.path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The folder is no longer writable, so the file stays. The next server finds a stale socket.
            }
        }
    }
}

/// <summary>
/// Lets one server at a time look at a folder and change a socket file in it. The lock is a flock(2), which the system
/// releases when the process ends. The locked file is in the user's own folder (XDG_RUNTIME_DIR), where no other user
/// can lock it. Without such a folder, or when this file stays locked, the folder of the socket itself is locked. Any user who
/// may read that folder can keep it locked, so a server waits a moment and then continues without the lock.
/// </summary>
internal sealed partial class FolderLock : IDisposable
{
    private const string Own = "XDG_RUNTIME_DIR";
    private const int Exclusive = 2, DoNotWait = 4, WouldBlock = 11;
    private const UnixFileMode Others = UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    private readonly SafeFileHandle place;

    private FolderLock(SafeFileHandle place) => this.place = place;

    /// <summary>Takes the lock for the folder of <paramref name="path"/>.</summary>
    /// <param name="patience">How long to wait for the lock.</param>
    /// <returns>
    /// The lock. Null when another program holds the lock for longer than <paramref name="patience"/>, and where no
    /// lock is possible: outside Linux, in a folder that this user may not read, and on some network file systems.
    /// </returns>
    public static FolderLock? Take(string path, TimeSpan patience)
    {
        if (!OperatingSystem.IsLinux() || Path.GetDirectoryName(path) is not { } folder)
            return null;
        var own = Environment.GetEnvironmentVariable(Own);
        return IsPrivate(own) && TakeAt(Path.Combine(own!, "grpcbench.lock"), isFile: true, patience) is { } taken
            ? taken : TakeAt(folder, isFile: false, patience);
    }

    public void Dispose() => this.place.Dispose();

    [SupportedOSPlatform("linux")]
    private static bool IsPrivate(string? folder)
    {
        try
        {
            return Directory.Exists(folder) && (File.GetUnixFileMode(folder) & Others) == 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    [SupportedOSPlatform("linux")]
    private static FolderLock? TakeAt(string path, bool isFile, TimeSpan patience)
    {
        const int create = 0x40, closeOnExec = 0x80000; // open(2), read-only
        const int ownersAlone = 0x180;
        var place = Open(path, (isFile ? create : 0) | closeOnExec, ownersAlone);
        var isTaken = false;
        if (!place.IsInvalid)
            SpinWait.SpinUntil(() => (isTaken = Flock(place, Exclusive | DoNotWait) == 0)
                || Marshal.GetLastPInvokeError() != WouldBlock, patience);
        if (isTaken)
            return new FolderLock(place);
        place.Dispose();
        return null;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int Flock(SafeFileHandle file, int operation);
}
