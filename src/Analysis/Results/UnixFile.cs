using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Analysis.Results;

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

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Chown(string path, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle Open(string path, int flags);
}
