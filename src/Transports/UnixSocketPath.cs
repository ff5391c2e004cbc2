namespace IpcBench.Transports;

/// <summary>
/// Finds the file that the path of a <c>unix:</c> address means. The server and every client read the path in the same way.
/// </summary>
public static class UnixSocketPath
{
    /// <summary>
    /// Returns the full path. On Windows <c>/tmp/greeter.sock</c> is on the system drive, whatever the current drive is.
    /// </summary>
    public static string Resolve(string path) => Path.GetFullPath(
        OperatingSystem.IsWindows() ? OnDrive(path, Path.GetPathRoot(Environment.SystemDirectory) ?? @"C:\") : path);

    /// <summary>
    /// Puts a path with a root but no drive onto <paramref name="root"/>, written as <c>C:\</c>. Removes the slash before
    /// a drive in gRPC's <c>unix:///C:/x</c> and Kestrel's <c>http://unix:/C:/x</c>.
    /// </summary>
    public static string OnDrive(string path, string root)
    {
        if (path is ['/', var drive, ':', ..] && char.IsAsciiLetter(drive))
            return path[1..];
        var isRooted = path is ['/' or '\\', not ('/' or '\\'), ..];
        return isRooted ? root + path[1..].Replace('/', '\\') : path;
    }
}
