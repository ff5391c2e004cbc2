namespace IpcBench.Transports;

/// <summary>The file that the path of a <c>unix:</c> address names, the same for the server and every client.</summary>
public static class UnixSocketPath
{
    /// <summary>A full path. On Windows <c>/tmp/greeter.sock</c> is on the system drive, whatever the current drive is.</summary>
    public static string Resolve(string path) => Path.GetFullPath(
        OperatingSystem.IsWindows() ? OnDrive(path, Path.GetPathRoot(Environment.SystemDirectory) ?? @"C:\") : path);

    /// <summary>Puts a path that starts at the root of no drive onto <paramref name="root"/>, written as <c>C:\</c>.</summary>
    public static string OnDrive(string path, string root)
    {
        var isRooted = path is ['/' or '\\', not ('/' or '\\'), ..];
        return isRooted ? root + path[1..].Replace('/', '\\') : path;
    }
}
