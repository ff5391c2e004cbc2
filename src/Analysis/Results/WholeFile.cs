using System.Runtime.InteropServices;

namespace IpcBench.Analysis.Results;

/// <summary>
/// Reads and writes whole files. At every moment of a write, the path has either the whole old file or the whole new file.
/// A file larger than <see cref="LargestRead"/> is not read.
/// </summary>
public static partial class WholeFile
{
    /// <summary>
    /// The largest file that is read, in bytes. No run of this tool makes such a large file: each round of a cell takes
    /// 4 kB. Without the limit, the read of an endless device (<c>/dev/zero</c>) would never return.
    /// </summary>
    public const long LargestRead = 256L << 20;

    // The longest name of a file on ext4, XFS, APFS and NTFS.
    private const int LongestName = 255;

    /// <summary>
    /// Writes <paramref name="write"/>'s bytes to <paramref name="path"/>. Makes the folder if it does not exist. A
    /// regular file is replaced in one step and keeps its mode. Symbolic links are followed. A device or pipe is not
    /// replaced: the bytes are written to it.
    /// </summary>
    /// <exception cref="IOException">The file cannot be written. <see cref="Refusal"/> makes the message for the user.</exception>
    /// <exception cref="UnauthorizedAccessException">This user may not write the file.</exception>
    /// <exception cref="NotSupportedException">The path cannot be the name of a file.</exception>
    public static void Write(string path, Action<Stream> write)
    {
        if (!FileKind.IsStream(path))
        {
            Replace(path, write, Move);
            return;
        }
        if (FileKind.IsStandardOutput(path))
        {
            // Standard output is already open and may lead to a file. If this file were opened again by its name, the
            // bytes would overwrite the start of the file.
            using var standard = path[^1] is '1' or 't' ? Console.OpenStandardOutput() : Console.OpenStandardError();
            write(standard);
            return;
        }
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        if (stream.CanSeek)
            stream.Seek(0, SeekOrigin.End);
        write(stream);
    }

    /// <summary>
    /// Finds out whether <see cref="Write"/> would succeed: makes the new file beside the old file, and deletes it. The
    /// file at the path stays as it is. Does nothing for a device or pipe.
    /// </summary>
    public static void TryWrite(string path, Action<Stream> write)
    {
        if (!FileKind.IsStream(path))
            Replace(path, write, (temporary, _) => File.Delete(temporary));
    }

    /// <summary>
    /// Makes a new file with the bytes of <paramref name="write"/>. Makes its folder if the folder does not exist.
    /// Returns false when the name is taken.
    /// </summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">This user may not write in the folder.</exception>
    /// <exception cref="NotSupportedException">The path cannot be the name of a file.</exception>
    public static bool TryMake(string path, Action<Stream> write)
    {
        if (Path.Exists(path))
            return false;
        var isOurs = true;
        Replace(path, write, (temporary, target) => isOurs = TryName(temporary, target));
        return isOurs;
    }

    /// <summary>Says why the path cannot be written, as one sentence without a full stop.</summary>
    public static string Refusal(string path, Exception e) => $"cannot write {(path.Length == 0 ? "''" : path)}: {Why(e)}";

    /// <summary>Reads all bytes of a file, or of a pipe or device that ends.</summary>
    /// <exception cref="IOException">The file cannot be read, or is larger than <see cref="LargestRead"/>.</exception>
    /// <exception cref="UnauthorizedAccessException">This user may not read the file.</exception>
    public static byte[] Read(string path)
    {
        if (Directory.Exists(path))
            throw new IOException("the path is a folder");
        // On Windows, FileShare.Delete lets an unfinished run replace its results file while this method reads the file.
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        var bytes = new MemoryStream();
        var buffer = new byte[64 * 1024];
        while (file.Read(buffer) is > 0 and var count)
        {
            if (bytes.Length + count > LargestRead || (file.CanSeek && file.Length > LargestRead))
                throw new IOException("the file is larger than 256 MiB");
            bytes.Write(buffer, 0, count);
        }
        return bytes.ToArray();
    }

    /// <summary>Deletes a file if it exists and this user may delete it.</summary>
    public static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file stays, which is no reason to stop.
        }
    }

    /// <summary>Returns the system's message in one line without a full stop.</summary>
    internal static string Why(Exception e)
    {
        var line = e.Message.ReplaceLineEndings(" ").Trim();
        // Some messages of .NET end with the name of the temporary file, which the user does not know.
        var name = line.LastIndexOf(" : '", StringComparison.Ordinal);
        return (name > 0 && line.EndsWith('\'') ? line[..name] : line).TrimEnd('.');
    }

    private static void MakeFolder(string folder)
    {
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or DirectoryNotFoundException or FileNotFoundException
            || File.Exists(folder))
        {
            throw new IOException($"the folder {folder} does not exist and cannot be made", e);
        }
    }

    private static void Replace(string path, Action<Stream> write, Action<string, string> finish)
    {
        const UnixFileMode anybody = UnixFileMode.UserWrite | UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
        if (path.Length == 0 || path.Contains('\0', StringComparison.Ordinal))
            throw new IOException("the path is not the name of a file");
        if (Directory.Exists(path))
            throw new IOException("the path is a folder");
        var target = FileKind.Target(path);
        if (Path.GetFileName(target).Length > LongestName)
            throw new IOException("the name is longer than the system allows");
        var mode = !OperatingSystem.IsWindows() && Path.Exists(target) ? File.GetUnixFileMode(target) : anybody;
        if ((mode & anybody) == 0)
            throw new UnauthorizedAccessException("the file is read-only");
        if (Path.Exists(target)) // opening throws if this user may not write the file
            new FileStream(target, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete).Dispose();
        var folder = Path.GetDirectoryName(target)!;
        MakeFolder(folder);
        var temporary = Path.Combine(folder, $".{Guid.NewGuid():N}.tmp");
        try
        {
            using (var file = Create(temporary, folder))
            {
                if (!OperatingSystem.IsWindows() && Path.Exists(target))
                    File.SetUnixFileMode(file.SafeFileHandle, mode);
                write(file);
                // Without this flush, the file could be empty after a power cut although it already has its new name.
                file.Flush(flushToDisk: true);
            }
            finish(temporary, target);
        }
        catch (Exception e)
        {
            TryDelete(temporary);
            // .NET throws this exception for EFBIG, the system's error for a file beyond ulimit -f (RandomAccess.Unix.cs).
            if (e is ArgumentOutOfRangeException)
                throw new IOException("the file would be larger than the system allows (ulimit -f)", e);
            throw;
        }
    }

    /// <summary>
    /// Renames the temporary file. Returns false if the new name is taken. On Unix this uses link(2), which never replaces a
    /// file. File.Move first checks that the name is free and then renames, so it would replace a file that another
    /// program makes between these two steps.
    /// </summary>
    private static bool TryName(string temporary, string path)
    {
        if (!OperatingSystem.IsWindows() && Link(temporary, path) == 0)
        {
            TryDelete(temporary);
            return true;
        }
        try
        {
            File.Move(temporary, path, overwrite: false); // for Windows, and for file systems without hard links
            return true;
        }
        catch (IOException) when (Path.Exists(path))
        {
            TryDelete(temporary);
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string from, string to);

    private static FileStream Create(string temporary, string folder)
    {
        try
        {
            return new FileStream(temporary, FileMode.CreateNew, FileAccess.Write, FileShare.None);
        }
        // The message of e names the temporary file, which the user does not know. In /proc no file can be made, not even by root.
        catch (Exception e) when (e is UnauthorizedAccessException or FileNotFoundException)
        {
            throw new UnauthorizedAccessException($"this user may not write in the folder {folder}", e);
        }
    }

    /// <summary>
    /// Renames the file. On Windows a virus scanner or an open editor may hold the old file for a moment, so the rename
    /// is tried again for half a second.
    /// </summary>
    private static void Move(string temporary, string path)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                File.Move(temporary, path, overwrite: true);
                return;
            }
            catch (Exception e) when (attempt < 10 && OperatingSystem.IsWindows() && File.Exists(path)
                && e is IOException or UnauthorizedAccessException)
            {
                Task.Delay(50).Wait();
            }
        }
    }
}
