using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace IpcBench.Tests;

/// <summary>
/// Each test process and all that it starts have a folder of their own for temporary files, which is gone with it: sockets of servers
/// that a test kills, and those that .NET's pipes leave, stay in nobody's way.
/// </summary>
internal static class OwnTemporaryFolder
{
    [ModuleInitializer]
    internal static void Make()
    {
        if (OperatingSystem.IsWindows())
            return; // what takes part there leaves no files
        var folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;
        // Other users may pass: nginx's worker is nobody, and some tests start a server as another user.
        File.SetUnixFileMode(folder, File.GetUnixFileMode(folder) | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
        Environment.SetEnvironmentVariable("TMPDIR", folder);
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Remove(folder);
    }

    private static void Remove(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Something that was started still writes there.
        }
    }
}

internal static class Allocated
{
    /// <summary>
    /// Bytes that the action allocates on this thread: the fewest of five times. A collection in between ends the thread's allocation
    /// context of 8 KiB, and what is left of it counts as allocated.
    /// </summary>
    public static long By(Action action) => Enumerable.Range(0, 5).Min(_ =>
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    });
}

/// <summary>The repository that the tests were built in.</summary>
internal static class Repository
{
    /// <summary>Its folder.</summary>
    public static string Root { get; } = Path.GetDirectoryName(Find("IpcBench.sln"))
        ?? throw new DirectoryNotFoundException("these tests read the repository that they are built in");

    /// <summary>A file or folder of it; null where there is none.</summary>
    public static string? Find(string path)
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var candidate = Path.Combine(folder.FullName, path);
            if (Path.Exists(candidate))
                return candidate;
        }
        return null;
    }
}

internal static class Ports
{
    /// <summary>A TCP port of this machine that was free a moment ago.</summary>
    public static int Unused()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
