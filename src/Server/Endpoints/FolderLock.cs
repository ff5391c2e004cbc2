using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Server.Endpoints;

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
