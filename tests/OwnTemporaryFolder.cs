using System.Runtime.CompilerServices;

namespace IpcBench.Tests;

/// <summary>
/// Each test process and all that it starts have a folder of their own for temporary files, which is gone with it: sockets of servers
/// that a test kills, and those that .NET's pipes leave, stay in nobody's way. Compiled into every test project.
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
