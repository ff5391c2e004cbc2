using System.ComponentModel;
using System.Diagnostics;

namespace IpcBench.Host;

/// <summary>
/// The CPUs on which a process may run. A child gets its CPUs when it starts, because a running .NET process cannot be moved:
/// its runtime counts the processors once, at the start, and on Linux the system call moves one thread only.
/// </summary>
public static partial class Affinity
{
    /// <summary>
    /// Returns all CPUs that the system allows this process. <see cref="Current"/> may return fewer CPUs. Null when the
    /// system has no CPU affinity.
    /// </summary>
    public static CpuSet? Available() => OperatingSystem.IsLinux() ? AvailableLinux()
        : OperatingSystem.IsWindows() ? MasksWindows()?.System
        : null;

    /// <summary>Returns the CPUs on which this process may run at present. Null when the system has no CPU affinity.</summary>
    public static CpuSet? Current() => OperatingSystem.IsLinux() ? CurrentLinux(new SystemFiles())
        : OperatingSystem.IsWindows() ? MasksWindows()?.Process
        : null;

    /// <summary>Names the CPUs of this process as reports show them: <c>0-1</c>, or <c>free</c> when the process may use all.</summary>
    public static string Describe() =>
        Current() is { } current && current.ToString() != Available()?.ToString() ? current.ToString() : "free";

    /// <summary>
    /// Starts a child that runs on <paramref name="cpus"/> from its first instruction. Null gives the child the CPUs of this process.
    /// </summary>
    /// <param name="name">The child's name in messages. Null when messages show the program alone.</param>
    /// <exception cref="EnvironmentException">The program cannot be started, or the system refused the set.</exception>
    public static Process Start(ProcessStartInfo info, CpuSet? cpus, string? name = null)
    {
        try
        {
            return cpus is null ? StartHere(info) : OperatingSystem.IsLinux() ? StartLinux(info, cpus) : StartWindows(info, cpus);
        }
        // .NET's message is not used, because it repeats the program and the folder, and is "Success" if the program is a folder.
        catch (Exception e) when (e is Win32Exception or IOException)
        {
            var why = Directory.Exists(info.FileName) ? "the path is a folder"
                : e is Win32Exception system ? new Win32Exception(system.NativeErrorCode).Message
                : e.Message.TrimEnd('.');
            throw new EnvironmentException($"cannot start {(name is null ? "" : $"{name}: ")}{info.FileName}: {why}", e);
        }
    }

    private static Process StartHere(ProcessStartInfo info) =>
        Process.Start(info) ?? throw new EnvironmentException($"cannot start {info.FileName}");

    private static EnvironmentException Refused(CpuSet cpus) =>
        new($"the system did not let a process run on CPUs {cpus}: choose other CPUs, or do not choose CPUs");
}
