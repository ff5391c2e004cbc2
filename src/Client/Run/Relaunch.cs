using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Starts this client again on a set of CPUs, because the runtime counts its processors once, when it starts.</summary>
internal static partial class Relaunch
{
    /// <summary>
    /// An environment variable with the CPUs of the first process. Only the second process has this variable, so that it does
    /// not start a third process.
    /// </summary>
    public const string Variable = "GRPCBENCH_CPUS_BEFORE";

    /// <summary>Returns the CPUs of this client before it was started again. Null when it was not started again.</summary>
    public static CpuSet? CpusBefore() =>
        CpuSet.TryParse(Environment.GetEnvironmentVariable(Variable) ?? "", out var set, out _) ? set : null;

    /// <summary>
    /// Runs this program on these CPUs. Returns null when this process already runs on exactly these CPUs. Otherwise
    /// starts the program again, and returns the exit code of that process, which did all the work. On Linux, the
    /// method does not return after it starts the program: this process becomes the new program and keeps its terminal,
    /// signals, id and parent.
    /// </summary>
    /// <exception cref="EnvironmentException">The system did not set the CPUs.</exception>
    public static int? Under(CpuSet cpus, IReadOnlyList<string> arguments)
    {
        var current = Affinity.Current()?.ToString() ?? "";
        if (current == cpus.ToString())
            return null;
        if (Environment.GetEnvironmentVariable(Variable) is not null)
        {
            throw new EnvironmentException(
                $"--client-cpus {cpus}: the system gave CPUs {current} instead: choose other CPUs, or leave out --client-cpus");
        }
        var info = ThisProgram.StartInfo(arguments);
        info.Environment[Variable] = current;
        if (!OperatingSystem.IsLinux())
            return RunChild(info, cpus);
        Affinity.SetThread(cpus);
        return Replace(info);
    }

    /// <summary>
    /// Runs another program and returns its exit code. The console sends its signals to that program too. On Windows,
    /// the program ends when this process ends.
    /// </summary>
    internal static int RunChild(ProcessStartInfo info, CpuSet? cpus)
    {
        // The console sends Ctrl-C and Ctrl-Break to both processes. The child then ends the run, and this process
        // only waits for the child.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        using var quit = PosixSignalRegistration.Create(PosixSignal.SIGQUIT, static signal => signal.Cancel = true);
        using var child = Affinity.Start(info, cpus);
        using var bound = OperatingSystem.IsWindows() ? new ChildLife(child) : null;
        child.WaitForExit();
        return child.ExitCode;
    }

    /// <summary>Replaces this process by another program, which gets its id, terminal and parent. The call does not return.</summary>
    /// <exception cref="EnvironmentException">The system refused to start the program.</exception>
    internal static int Replace(ProcessStartInfo info)
    {
        // execve(2) ends the other threads and keeps the affinity of the calling thread.
        string?[] arguments = [info.FileName, .. info.ArgumentList, null];
        var set = info.Environment.Where(entry => entry.Value is not null);
        string?[] environment = [.. set.Select(entry => $"{entry.Key}={entry.Value}"), null];
        Console.Out.Flush();
        // The runtime removes its diagnostic socket at its exit, but execve skips the exit. If the socket stayed, the new runtime could
        // not bind the same name (design-docs/ipc-protocol.md of dotnet/diagnostics: dotnet-diagnostic-{pid}-{key}-socket).
        ChildProcess.RemoveDiagnostics(Environment.ProcessId);
        _ = execve(info.FileName, arguments, environment);
        throw new EnvironmentException($"cannot start {info.FileName}: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int execve(string path, string?[] arguments, string?[] environment);
}
