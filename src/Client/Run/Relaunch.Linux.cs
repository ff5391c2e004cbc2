using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

internal static partial class Relaunch
{
    /// <summary>This process becomes the other program and keeps its number, terminal and parent: the call does not return.</summary>
    /// <exception cref="EnvironmentException">The system refused.</exception>
    internal static int Replace(ProcessStartInfo info)
    {
        // execve(2) ends the other threads and keeps the affinity of the calling one.
        string?[] arguments = [info.FileName, .. info.ArgumentList, null];
        var set = info.Environment.Where(entry => entry.Value is not null);
        string?[] environment = [.. set.Select(entry => $"{entry.Key}={entry.Value}"), null];
        Console.Out.Flush();
        RemoveDiagnosticSocket();
        _ = execve(info.FileName, arguments, environment);
        throw new EnvironmentException($"cannot start {info.FileName}: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    /// <summary>
    /// The runtime removes its diagnostic socket when it ends, which it never does here; the next one could not bind to the same name and
    /// would leave it behind (design-docs/ipc-protocol.md of dotnet/diagnostics: dotnet-diagnostic-{pid}-{key}-socket).
    /// </summary>
    private static void RemoveDiagnosticSocket()
    {
        try
        {
            foreach (var socket in Directory.EnumerateFiles(Path.GetTempPath(), $"dotnet-diagnostic-{Environment.ProcessId}-*-socket"))
                File.Delete(socket);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The socket stays: no reason not to measure.
        }
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int execve(string path, string?[] arguments, string?[] environment);
}
