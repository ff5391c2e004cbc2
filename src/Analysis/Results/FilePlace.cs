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
