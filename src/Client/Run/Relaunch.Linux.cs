using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

internal static partial class Relaunch
{
    // execve(2) ends the other threads and keeps the affinity of the calling one.
    private static int Replace(ProcessStartInfo info, CpuSet cpus)
    {
        Affinity.SetThread(cpus);
        string?[] arguments = [info.FileName, .. info.ArgumentList, null];
        var set = info.Environment.Where(entry => entry.Value is not null);
        string?[] environment = [.. set.Select(entry => $"{entry.Key}={entry.Value}"), null];
        Console.Out.Flush();
        _ = execve(info.FileName, arguments, environment);
        throw new EnvironmentException($"cannot start {info.FileName} again: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int execve(string path, string?[] arguments, string?[] environment);
}
