using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Analysis.Results;

/// <summary>What a path that is to be written names, its symbolic links followed.</summary>
/// <param name="Path">The full path behind all links.</param>
/// <param name="Exists">Something is there.</param>
/// <param name="IsStream">A device or pipe: written to as it is, never replaced.</param>
/// <param name="IsPipe">A named pipe (FIFO), which waits for somebody to read it.</param>
/// <param name="Mode">Permissions of what is there; null on Windows and where nothing is.</param>
/// <param name="Owner">User and group of what is there; null as above.</param>
internal sealed record FilePlace(string Path, bool Exists, bool IsStream, bool IsPipe, UnixFileMode? Mode, (uint User, uint Group)? Owner)
{
    // As many as Linux follows (path_resolution(7)).
    private const int MostLinks = 40;

    /// <summary>A file that is there and that nobody, or only somebody else, may write. Root may write whatever anybody may.</summary>
    public bool IsReadOnly
    {
        get
        {
            const UnixFileMode anybody = UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
            return Exists && (Mode is { } mode && Environment.IsPrivilegedProcess
                ? (mode & anybody) == 0
                : new FileInfo(Path).IsReadOnly);
        }
    }

    /// <exception cref="IOException">The links lead in a circle, or to a disk or socket; the message is one sentence without the
    /// path.</exception>
    /// <exception cref="NotSupportedException">The name is none of a file.</exception>
    public static FilePlace Of(string path)
    {
        var full = Resolve(path);
        if (OperatingSystem.IsWindows())
            return new FilePlace(full, File.Exists(full), IsWindowsDevice(full), false, null, null);
        if (UnixFile.Look(full) is not { } found)
            return new FilePlace(full, false, false, false, null, null);
        return found.Kind switch
        {
            UnixFile.Disk => throw new IOException("it is a disk, which a file would destroy"),
            UnixFile.Socket => throw new IOException("it is a socket"),
            UnixFile.Regular or UnixFile.Folder => new FilePlace(full, true, IsOpenedElsewhere(full), false, found.Mode,
                (found.User, found.Group)),
            var kind => new FilePlace(full, true, true, kind == UnixFile.Pipe, found.Mode, (found.User, found.Group)),
        };
    }

    /// <summary>Gives the file that will take this place its mode and, where the system permits, its owner.</summary>
    public void Dress(string file)
    {
        if (OperatingSystem.IsWindows() || Mode is not { } mode || Owner is not { } owner)
            return;
        UnixFile.TryGive(file, owner.User, owner.Group); // before the mode: a change of owner takes bits away
        File.SetUnixFileMode(file, mode);
    }

    private static string Resolve(string path)
    {
        if (path.Length == 0 || path.Contains('\0', StringComparison.Ordinal))
            throw new IOException("it is no name of a file");
        var full = System.IO.Path.GetFullPath(path);
        // What a shell makes of >(command), and another name of /dev/stdout.
        if (!OperatingSystem.IsWindows() && full.StartsWith("/dev/fd/", StringComparison.Ordinal))
            full = "/proc/self/fd/" + full["/dev/fd/".Length..];
        // /proc's links to what a process has open lead to no path: the system follows them, we do not.
        for (var links = 0; !IsOpenedElsewhere(full) && new FileInfo(full).LinkTarget is { } target; links++)
        {
            if (links == MostLinks)
                throw new IOException("its symbolic links lead in a circle");
            full = System.IO.Path.GetFullPath(target, System.IO.Path.GetDirectoryName(full) ?? "/");
        }
        return full;
    }

    // /dev/stdout and its like: replacing the file behind them would take it away from whoever has it open.
    private static bool IsOpenedElsewhere(string full) => full.StartsWith("/proc/", StringComparison.Ordinal);

    // GetFullPath makes \\.\NUL of NUL, and names of pipes begin alike.
    private static bool IsWindowsDevice(string full) => full.StartsWith(@"\\.\", StringComparison.Ordinal);
}

/// <summary>What .NET does not tell of a file on Linux.</summary>
internal static partial class UnixFile
{
    // inode(7), the type part of a mode.
    public const int Pipe = 0x1000, Folder = 0x4000, Disk = 0x6000, Regular = 0x8000, Socket = 0xC000;

    private const int TypeMask = 0xF000, PermissionMask = 0xFFF;
    private const int NoReader = 6; // ENXIO: open(2) of a pipe that nobody reads, for writing and without waiting

    /// <summary>Type, permissions and owner of what the path leads to; null when nothing is there or it may not be looked at.</summary>
    public static unsafe (int Kind, UnixFileMode Mode, uint User, uint Group)? Look(string path)
    {
        // statx(2) rather than stat(2): its structure is the same on every architecture.
        const int currentFolder = -100, wantBasics = 0x7FF;
        const int bufferBytes = 256, userOffset = 20, groupOffset = 24, modeOffset = 28;
        if (!OperatingSystem.IsLinux())
            return null;
        var buffer = stackalloc byte[bufferBytes];
        if (Statx(currentFolder, path, 0, wantBasics, buffer) != 0)
            return null;
        int mode = *(ushort*)(buffer + modeOffset);
        return (mode & TypeMask, (UnixFileMode)(mode & PermissionMask), *(uint*)(buffer + userOffset), *(uint*)(buffer + groupOffset));
    }

    /// <summary>Whether both paths lead to the same file or pipe, which is no device; false where that cannot be told.</summary>
    public static unsafe bool IsSame(string path, string other)
    {
        // statx(2): stx_mode, stx_ino and, last, the numbers of the device that holds it.
        const int currentFolder = -100, wantBasics = 0x7FF, bufferBytes = 256;
        const int modeOffset = 28, inodeOffset = 32, deviceOffset = 136;
        if (!OperatingSystem.IsLinux())
            return false;
        byte* first = stackalloc byte[bufferBytes], second = stackalloc byte[bufferBytes];
        return Statx(currentFolder, path, 0, wantBasics, first) == 0 && Statx(currentFolder, other, 0, wantBasics, second) == 0
            && (*(ushort*)(first + modeOffset) & TypeMask) is Regular or Pipe
            && *(ulong*)(first + inodeOffset) == *(ulong*)(second + inodeOffset)
            && *(ulong*)(first + deviceOffset) == *(ulong*)(second + deviceOffset);
    }

    /// <summary>Makes the file somebody's, or the group's alone where only that is permitted.</summary>
    public static void TryGive(string path, uint user, uint group)
    {
        const uint unchanged = uint.MaxValue;
        if (OperatingSystem.IsLinux() && Chown(path, user, group) != 0)
            _ = Chown(path, unchanged, group);
    }

    /// <summary>Holds a pipe open once somebody reads it, so that opening it again does not wait.</summary>
    /// <exception cref="IOException">Nobody did for that long.</exception>
    public static SafeFileHandle? WaitForReader(string path, TimeSpan patience)
    {
        const int writeOnly = 1, nonBlocking = 0x800, closeOnExec = 0x80000; // asm-generic/fcntl.h; x64 and arm64 alike
        if (!OperatingSystem.IsLinux())
            return null;
        var begun = System.Diagnostics.Stopwatch.GetTimestamp();
        while (true)
        {
            var handle = Open(path, writeOnly | nonBlocking | closeOnExec);
            if (!handle.IsInvalid)
                return handle;
            var error = Marshal.GetLastPInvokeError();
            handle.Dispose();
            if (error != NoReader)
                throw new IOException(Marshal.GetPInvokeErrorMessage(error));
            if (System.Diagnostics.Stopwatch.GetElapsedTime(begun) > patience)
                throw new IOException(FormattableString
                    .Invariant($"it is a pipe and nobody has read from it for {patience.TotalSeconds:0} s"));
            Task.Delay(20).Wait();
        }
    }

    /// <summary>
    /// Gives a file a second name unless something has it already, link(2); false where that is so, or the file system has no such links.
    /// </summary>
    public static bool TryLink(string file, string name) => Link(file, name) == 0;

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string file, string name);

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Chown(string path, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);
}
