using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Tests;

/// <summary>
/// Sets the environment of each test process and its children. All of them share a folder for temporary files, which is
/// deleted when the test process ends. This also deletes the socket files of .NET's pipes and of killed servers.
/// </summary>
internal static partial class OwnEnvironment
{
    private const int Interrupt = 2, Default = 0; // SIGINT, SIG_DFL

    [ModuleInitializer]
    internal static void Make()
    {
        // The children run for a second or two. To compile hot methods again, for speed, would take a fifth of the CPU
        // time of the end-to-end tests. So the runtime starts to count calls only after 2 s (hexadecimal 7D0 ms).
        Environment.SetEnvironmentVariable("DOTNET_TC_CallCountingDelayMs", "7D0");
        Environment.SetEnvironmentVariable("DOTNET_TieredPGO", "0");
        if (OperatingSystem.IsWindows())
            return; // on Windows the tests leave no files
        // A script that starts the tests in the background makes them ignore SIGINT. The children would inherit this.
        _ = signal(Interrupt, Default);
        // A test adds up to 70 characters to the folder for a socket's path, and the system allows about 100.
        if (Path.GetTempPath().Length > 30)
            Environment.SetEnvironmentVariable("TMPDIR", "/tmp");
        var folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;
        // Other users may enter: nginx's worker runs as nobody, and some tests start a server as another user.
        File.SetUnixFileMode(folder, File.GetUnixFileMode(folder) | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
        Environment.SetEnvironmentVariable("TMPDIR", folder);
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Remove(folder);
    }

    [LibraryImport("libc")]
    private static partial nint signal(int number, nint handler);

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
    /// <summary>
    /// Returns a free TCP port below the ports that the system chooses itself (from 32768 on Linux, from 49152 on
    /// Windows and macOS). So the system gives the port to no other test before the caller uses it.
    /// </summary>
    public static int Unused()
    {
        while (true)
        {
            using var listener = new TcpListener(IPAddress.Loopback, Random.Shared.Next(20_000, 32_000));
            try
            {
                listener.Start();
                return ((IPEndPoint)listener.LocalEndpoint).Port;
            }
            catch (SocketException)
            {
                // The port is in use.
            }
        }
    }
}
