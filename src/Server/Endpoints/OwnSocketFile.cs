using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Server.Endpoints;

/// <summary>
/// The file of a Unix socket that this server has bound, on Linux. Somebody may remove it, and another server may bind there: what is then
/// at the path is not this server's. On Windows System.Net.Sockets removes whatever has the name when the socket closes.
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

    /// <summary>Takes over the file of a socket that has just been bound.</summary>
    /// <param name="path">The file.</param>
    /// <param name="socket">Its socket; afterwards the same one as an object that does not remove the file by its name.</param>
    /// <param name="isShared">Other servers may know the path.</param>
    /// <returns>The file; null where it is not this program that removes it.</returns>
    public static OwnSocketFile? TakeOver(string path, ref Socket socket, bool isShared)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var binder = socket;
        socket = new Socket(binder.SafeHandle);
        // Its end would close the handle that both share, and remove the file.
        GC.SuppressFinalize(binder);
        return new OwnSocketFile(path, isShared);
    }

    /// <summary>Removes the file if it is still the one that was bound. Only while its socket is open.</summary>
    public void Remove()
    {
        if (identity is not { } own)
            return;
        identity = null;
        // Under the lock of the folder no other server can bind between the look and the removal.
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
                // The folder may no longer be written: the next server finds a socket that nobody serves.
            }
        }
    }
}

/// <summary>
/// Lets one server at a time look at a folder and change a socket file in it: flock(2), which ends with the process, on a file in the
/// user's own folder (XDG_RUNTIME_DIR), which nobody else can lock. Where there is no such folder, on the folder of the socket itself; any
/// user who may read that can keep it locked, so a server waits a moment and then goes on without.
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
    /// <param name="path">A full path.</param>
    /// <param name="patience">How long it may take.</param>
    /// <returns>
    /// The lock; null where another program keeps it for longer than that, and where nothing can be locked: on other systems, where this
    /// user may not read the folder, on some network file systems.
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
        var pause = TimeSpan.FromMilliseconds(2);
        var place = Open(path, (isFile ? create : 0) | closeOnExec, ownersAlone);
        for (var began = Stopwatch.GetTimestamp(); !place.IsInvalid; Thread.Sleep(pause))
        {
            if (Flock(place, Exclusive | DoNotWait) == 0)
                return new FolderLock(place);
            if (Marshal.GetLastPInvokeError() != WouldBlock || Stopwatch.GetElapsedTime(began) > patience)
                break;
        }
        place.Dispose();
        return null;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int Flock(SafeFileHandle file, int operation);
}
