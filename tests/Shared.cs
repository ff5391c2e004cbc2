using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace IpcBench.Tests;

/// <summary>
/// Gives each test process and its children a folder for temporary files, and deletes the folder when the process ends. So the socket
/// files of servers that a test kills, and of .NET's pipes, are deleted too.
/// </summary>
internal static class OwnTemporaryFolder
{
    [ModuleInitializer]
    internal static void Make()
    {
        if (OperatingSystem.IsWindows())
            return; // the tests leave no files there
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
            // A process that a test started still writes there.
        }
    }
}

internal static class Allocated
{
    /// <summary>
    /// Returns the bytes that the action allocates on this thread: the fewest of five runs. A garbage collection during a run ends the
    /// thread's allocation context of 8 KiB, and the unused rest of the context counts as allocated.
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
    /// <summary>The repository's folder.</summary>
    public static string Root { get; } = Path.GetDirectoryName(Find("IpcBench.sln"))
        ?? throw new DirectoryNotFoundException("these tests read the repository that they are built in");

    /// <summary>Finds a file or folder of the repository. Null when there is none.</summary>
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
