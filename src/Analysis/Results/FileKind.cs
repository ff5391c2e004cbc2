using System.Runtime.InteropServices;

namespace IpcBench.Analysis.Results;

/// <summary>Distinguishes regular files from devices and pipes.</summary>
public static partial class FileKind
{
    /// <summary>Whether the path leads to a device or pipe. Unlike a regular file, such a file is not replaced by a write.</summary>
    public static bool IsStream(string path)
    {
        try
        {
            var target = Target(path);
            // GetFullPath turns NUL into \\.\NUL, and names of pipes begin in the same way.
            if (OperatingSystem.IsWindows())
                return target.StartsWith(@"\\.\", StringComparison.Ordinal);
            // If the file behind /dev/stdout were replaced, programs with the old file open would miss the new file. On Linux, /dev/shm
            // has regular files.
            return IsStandardOutput(target) || target.StartsWith("/dev/fd/", StringComparison.Ordinal)
                || target.StartsWith("/proc/", StringComparison.Ordinal)
                || (!OperatingSystem.IsLinux() && target.StartsWith("/dev/", StringComparison.Ordinal))
                    ? Path.Exists(target) : OperatingSystem.IsLinux() && IsSpecial(target);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            return false; // the write that follows fails and gives the reason
        }
    }

    /// <summary>Whether the path is a name that a Unix system gives to standard output or error of this process.</summary>
    public static bool IsStandardOutput(string path) =>
        path is "/dev/stdout" or "/dev/stderr" or "/dev/fd/1" or "/dev/fd/2" or "/proc/self/fd/1" or "/proc/self/fd/2";

    /// <summary>
    /// Whether the path is a device or pipe. .NET has no method that returns this, and opening and closing a pipe would end
    /// the input of the pipe's reader. statx(2) opens nothing, and the structure that statx(2) fills is the same on every
    /// architecture, unlike the structure of stat(2).
    /// </summary>
    private static unsafe bool IsSpecial(string path)
    {
        const int currentFolder = -100, wantType = 1, bufferBytes = 256, modeOffset = 28;
        const int typeMask = 0xF000, folder = 0x4000, regular = 0x8000, socket = 0xC000; // inode(7)
        var buffer = stackalloc byte[bufferBytes];
        return Statx(currentFolder, path, 0, wantType, buffer) == 0
            && (*(ushort*)(buffer + modeOffset) & typeMask) is not (folder or regular or socket);
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);

    /// <summary>
    /// Returns the full path behind all links. A path of standard output or in /dev/fd or /proc/self/fd is kept as it is: such a path
    /// leads to an open file of this process, and an open file may have no path.
    /// </summary>
    public static string Target(string path) =>
        new FileInfo(path).LinkTarget is not null && !IsStandardOutput(path) && !path.StartsWith("/dev/fd/", StringComparison.Ordinal)
            && !path.StartsWith("/proc/self/fd/", StringComparison.Ordinal)
            ? File.ResolveLinkTarget(path, returnFinalTarget: true)!.FullName : Path.GetFullPath(path);
}
