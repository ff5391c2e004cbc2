using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Starts this client again under a CPU set, because the set must be in place before the runtime counts its processors.</summary>
internal static partial class Relaunch
{
    /// <summary>Set in the second start, to the CPUs of the first: the second must find its set in place and never try a third.</summary>
    public const string Variable = "GRPCBENCH_CPUS_BEFORE";

    /// <summary>The CPUs this client had before it was started again under a set; null when it was not.</summary>
    public static CpuSet? CpusBefore() =>
        CpuSet.TryParse(Environment.GetEnvironmentVariable(Variable) ?? "", out var set, out _) ? set : null;

    /// <summary>
    /// Null: this process runs on exactly these CPUs, go on. A number: another process did everything, exit with it. On Linux the call does
    /// not return when it starts again: the process becomes the new program, with its terminal, signals, number and parent.
    /// </summary>
    /// <param name="cpus">The CPUs to run on.</param>
    /// <param name="arguments">The command line's.</param>
    /// <exception cref="EnvironmentException">The system did not put the set in place.</exception>
    public static int? Under(CpuSet cpus, IReadOnlyList<string> arguments)
    {
        var current = Affinity.Current()?.ToString() ?? "";
        if (current == cpus.ToString())
            return null;
        if (Environment.GetEnvironmentVariable(Variable) is not null)
        {
            throw new EnvironmentException(
                $"started again on CPUs {cpus}, but the system gave {current}: choose others or leave the option out");
        }
        var info = ThisProgram.StartInfo(arguments);
        info.Environment[Variable] = current;
        if (!OperatingSystem.IsLinux())
            return RunChild(info, cpus);
        Affinity.SetThread(cpus);
        return Replace(info);
    }

    /// <summary>Waits for the other program, which gets the console's signals itself and ends with this process; its exit code.</summary>
    internal static int RunChild(ProcessStartInfo info, CpuSet? cpus)
    {
        // The console sends Ctrl-C and Ctrl-Break to both: the child ends the run as it should, this process only waits for its answer.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        using var quit = PosixSignalRegistration.Create(PosixSignal.SIGQUIT, static signal => signal.Cancel = true);
        using var child = Affinity.Start(info, cpus);
        using var bound = OperatingSystem.IsWindows() ? new ChildLife(child) : null;
        child.WaitForExit();
        return child.ExitCode;
    }

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
