namespace IpcBench.Analysis.Results;

/// <summary>
/// Reads and writes files in one piece: never half written, never larger than memory, never something else than what was named.
/// </summary>
public static class WholeFile
{
    /// <summary>
    /// Reading gives up beyond this many bytes: no run of this tool makes a file as large (4 kB a cell and round), and what never ends is
    /// found out.
    /// </summary>
    public const long LargestRead = 256L << 20;

    private static readonly TimeSpan ReaderPatience = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Puts <paramref name="write"/>'s bytes where <paramref name="path"/> names, making its folder where there is none. A regular file
    /// is replaced at once and keeps its mode and, where the system permits, its owner: whatever happens meanwhile, it is the old one or
    /// the new one, whole. Symbolic links are followed. A device or pipe is written to and stays what it is.
    /// </summary>
    /// <exception cref="IOException">It cannot be written; the message is one sentence without the path.</exception>
    /// <exception cref="UnauthorizedAccessException">As above.</exception>
    /// <exception cref="NotSupportedException">The name is none of a file.</exception>
    public static void Write(string path, Action<Stream> write)
    {
        var place = FilePlace.Of(path);
        try
        {
            if (place.IsStream)
                WriteToStream(place, write);
            else
                Replace(place, write, temporary => Move(temporary, place.Path));
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw BeyondLimit(e);
        }
    }

    /// <summary>
    /// Finds out whether <see cref="Write"/> would succeed, by all that it does but for the last step: what the path names stays as it is.
    /// </summary>
    /// <exception cref="IOException">As of <see cref="Write"/>.</exception>
    /// <exception cref="UnauthorizedAccessException">As above.</exception>
    /// <exception cref="NotSupportedException">As above.</exception>
    public static void TryWrite(string path, Action<Stream> write)
    {
        var place = FilePlace.Of(path);
        try
        {
            if (!place.IsStream)
                Replace(place, write, File.Delete);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw BeyondLimit(e);
        }
    }

    /// <summary>
    /// Makes a file of <paramref name="write"/>'s bytes, and its folder where there is none, unless something is there already: then
    /// false. Nobody ever sees a part of it.
    /// </summary>
    /// <exception cref="IOException">It cannot be written; the message is one sentence without the path.</exception>
    /// <exception cref="UnauthorizedAccessException">As above.</exception>
    /// <exception cref="NotSupportedException">The name is none of a file.</exception>
    public static bool TryMake(string path, Action<Stream> write)
    {
        MakeFolderOf(path);
        var temporary = Temporary(path);
        try
        {
            WriteTo(temporary, new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.None }, write);
            Name(temporary, path);
            return true;
        }
        catch (IOException) when (Path.Exists(path))
        {
            TryDelete(temporary);
            return false;
        }
        catch (Exception e)
        {
            TryDelete(temporary);
            if (e is ArgumentOutOfRangeException)
                throw BeyondLimit(e);
            throw;
        }
    }

    /// <summary>Why what the path names cannot be written: one sentence without a full stop.</summary>
    public static string Refusal(string path, Exception e) => $"cannot write {(path.Length == 0 ? "''" : path)}: {Why(e)}";

    /// <summary>
    /// Whether what the path names is a device or pipe, which takes what is written once and keeps nothing to be replaced.
    /// </summary>
    public static bool IsStream(string path)
    {
        try
        {
            return FilePlace.Of(path).IsStream;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return false; // writing it fails with the reason
        }
    }

    /// <summary>
    /// Whether the path names the file or pipe that standard output or error of this process goes to: what is written to both is lost in
    /// part or mixed (Linux; elsewhere false).
    /// </summary>
    public static bool IsStandardOutput(string path) =>
        UnixFile.IsSame(path, "/proc/self/fd/1") || UnixFile.IsSame(path, "/proc/self/fd/2");

    /// <summary>All bytes of a file, pipe or device that ends.</summary>
    /// <exception cref="IOException">It cannot be read, or holds more than <see cref="LargestRead"/>; the message is one sentence without
    /// the path.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static byte[] Read(string path)
    {
        if (Directory.Exists(path))
            throw new IOException("it is a folder");
        // Sharing all, so that a run that goes on can still replace its file on Windows.
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        var expected = file.CanSeek ? file.Length : 0;
        if (expected > LargestRead)
            throw TooLarge();
        // What a length says may be wrong by the time of reading, and of /proc and devices it is 0.
        var bytes = new byte[Math.Max(expected + 1, 64 * 1024)];
        var filled = 0;
        while (file.Read(bytes, filled, bytes.Length - filled) is > 0 and var count)
        {
            filled += count;
            if (filled > LargestRead)
                throw TooLarge();
            if (filled == bytes.Length)
                Array.Resize(ref bytes, (int)Math.Min(LargestRead + 1, bytes.Length * 2L));
        }
        Array.Resize(ref bytes, filled);
        return bytes;
    }

    // What .NET makes of EFBIG, the answer beyond ulimit -f or a file system's largest file (RandomAccess.Unix.cs).
    private static IOException BeyondLimit(Exception e) => new("the file would be larger than the system allows (ulimit -f)", e);

    private static IOException TooLarge() => new("it is larger than 256 MiB");

    /// <summary>What the system said, in one line without a full stop.</summary>
    internal static string Why(Exception e)
    {
        var line = e.Message.ReplaceLineEndings(" ").Trim();
        // The framework ends some messages with a name: that of the new file beside the one that is told already.
        var name = line.LastIndexOf(" : '", StringComparison.Ordinal);
        return (name > 0 && line.EndsWith('\'') ? line[..name] : line).TrimEnd('.');
    }

    private static void MakeFolderOf(string path)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (UnauthorizedAccessException e)
        {
            throw new UnauthorizedAccessException($"there is no folder {folder}, and this user may not make it", e);
        }
        // What it says of a file in the way, and of the part of a path that cannot be made (ENOENT in /proc), is of no help.
        catch (IOException e) when (e is FileNotFoundException or DirectoryNotFoundException || File.Exists(folder))
        {
            throw new IOException($"there is no folder {folder}, and it cannot be made", e);
        }
    }

    private static void Replace(FilePlace place, Action<Stream> write, Action<string> finish)
    {
        if (Directory.Exists(place.Path))
            throw new IOException("it is a folder");
        if (place.IsReadOnly)
            throw new UnauthorizedAccessException("it is read-only");
        MakeFolderOf(place.Path);
        var temporary = Temporary(place.Path);
        try
        {
            WriteTo(temporary, Fresh(place), write);
            place.Dress(temporary);
            finish(temporary);
        }
        catch
        {
            TryDelete(temporary);
            throw;
        }
    }

    // File.Move looks whether the name is free and then renames, which replaces what came between the two. link(2) never replaces.
    private static void Name(string temporary, string path)
    {
        if (!OperatingSystem.IsWindows() && UnixFile.TryLink(temporary, path))
            TryDelete(temporary);
        else
            File.Move(temporary, path, overwrite: false);
    }

    // The temporary file is in the folder of the file that it replaces. A name that would exceed the longest of file systems is cut.
    private static string Temporary(string path)
    {
        const int longest = 255;
        var ending = $".{Guid.NewGuid():N}.tmp";
        return (Path.GetFileName(path).Length + ending.Length <= longest ? path : path[..^ending.Length]) + ending;
    }

    private static void WriteTo(string path, FileStreamOptions options, Action<Stream> write)
    {
        using var file = Open(path, options);
        write(file);
        // Without it a power cut may leave the new name on an empty file.
        file.Flush(flushToDisk: true);
    }

    private static FileStream Open(string path, FileStreamOptions options)
    {
        try
        {
            return new FileStream(path, options);
        }
        catch (UnauthorizedAccessException e) // its own words have the temporary name, which nobody knows
        {
            var folder = Path.GetDirectoryName(Path.GetFullPath(path));
            throw new UnauthorizedAccessException($"this user may not write in the folder {folder}", e);
        }
        catch (PathTooLongException e)
        {
            throw new IOException("the name is longer than the system allows", e);
        }
    }

    private static FileStreamOptions Fresh(FilePlace place)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.None };
        // Readable by no more users than the file it replaces, not even while it is written.
        if (!OperatingSystem.IsWindows() && place.Mode is { } mode)
            options.UnixCreateMode = mode & (UnixFileMode.UserRead | UnixFileMode.UserWrite) | UnixFileMode.UserWrite;
        return options;
    }

    private static void WriteToStream(FilePlace place, Action<Stream> write)
    {
        // Opened anew, a file would be written from its begin, over what the shell or others have put there.
        using var standard = place.Path switch
        {
            "/proc/self/fd/1" => Console.OpenStandardOutput(),
            "/proc/self/fd/2" => Console.OpenStandardError(),
            _ => null,
        };
        if (standard is not null)
        {
            write(standard);
            standard.Flush();
            return;
        }
        // Opening a pipe that nobody reads waits for a reader, perhaps for ever.
        using var reader = place.IsPipe ? UnixFile.WaitForReader(place.Path, ReaderPatience) : null;
        Append(place.Path, write);
    }

    private static void Append(string path, Action<Stream> write)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete,
            bufferSize: 64 * 1024);
        if (file.CanSeek)
            file.Seek(0, SeekOrigin.End);
        write(file);
        file.Flush();
    }

    /// <summary>
    /// On Windows a virus scanner or an open editor holds the old file for a moment: the rename is tried again for half a second.
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

    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The disk is full or gone: the message about that is the one that counts.
        }
    }
}
