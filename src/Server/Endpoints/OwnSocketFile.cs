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
    private (ulong Device, ulong Inode)? identity;

    private OwnSocketFile(string path) => (this.path, identity) = (path, SocketFile.IdentityOf(path));

    /// <summary>Takes over the file of a socket that has just been bound.</summary>
    /// <param name="path">The file.</param>
    /// <param name="socket">Its socket; afterwards the same one as an object that does not remove the file by its name.</param>
    /// <returns>The file; null where it is not this program that removes it.</returns>
    public static OwnSocketFile? TakeOver(string path, ref Socket socket)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var binder = socket;
        socket = new Socket(binder.SafeHandle);
        // Its end would close the handle that both share, and remove the file.
        GC.SuppressFinalize(binder);
        return new OwnSocketFile(path);
    }

    /// <summary>Removes the file if it is still the one that was bound. Only while its socket is open.</summary>
    public void Remove()
    {
        if (identity is not { } own)
            return;
        identity = null;
        // Under the lock of the folder no other server can bind between the look and the removal.
        FolderLock.TryTake(this.path, Patience, out var folder);
        using (folder)
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
/// Lets one server at a time look at a folder and change a socket file in it: flock(2) on the folder itself, which leaves no file behind
/// and ends with the process. Another program is kept away only if it takes the same lock.
/// </summary>
internal sealed partial class FolderLock : IDisposable
{
    private const int Exclusive = 2, DoNotWait = 4, WouldBlock = 11;

    private readonly SafeFileHandle folder;

    private FolderLock(SafeFileHandle folder) => this.folder = folder;

    /// <summary>Takes the lock of the folder of <paramref name="path"/>.</summary>
    /// <param name="path">A full path.</param>
    /// <param name="patience">How long it may take.</param>
    /// <param name="taken">
    /// The lock; null where folders cannot be locked: on other systems, where this user may not read it, on some network file systems.
    /// </param>
    /// <returns>False when another program has kept it for longer than that.</returns>
    public static bool TryTake(string path, TimeSpan patience, out FolderLock? taken)
    {
        taken = null;
        return !OperatingSystem.IsLinux() || Path.GetDirectoryName(path) is not { } folder || TryTakeFolder(folder, patience, out taken);
    }

    public void Dispose() => this.folder.Dispose();

    [SupportedOSPlatform("linux")]
    private static bool TryTakeFolder(string path, TimeSpan patience, out FolderLock? taken)
    {
        const int readOnly = 0, closeOnExec = 0x80000;
        var pause = TimeSpan.FromMilliseconds(2);
        taken = null;
        var folder = Open(path, readOnly | closeOnExec);
        for (var began = Stopwatch.GetTimestamp(); !folder.IsInvalid; Thread.Sleep(pause))
        {
            if (Flock(folder, Exclusive | DoNotWait) == 0)
            {
                taken = new FolderLock(folder);
                return true;
            }
            if (Marshal.GetLastPInvokeError() != WouldBlock)
                break;
            if (Stopwatch.GetElapsedTime(began) > patience)
            {
                folder.Dispose();
                return false;
            }
        }
        folder.Dispose();
        return true;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int Flock(SafeFileHandle file, int operation);
}
