using System.ComponentModel;
using System.Diagnostics;

namespace IpcBench.Host;

/// <summary>
/// Which CPUs a process may run on. A running .NET process cannot be moved (its runtime has counted processors, and on Linux only one
/// thread would move), so a child is started with the set already in place: it inherits it.
/// </summary>
public static partial class Affinity
{
    /// <summary>The CPUs that this process may be given, whatever it runs on now; null where the system has no affinity.</summary>
    public static CpuSet? Available() => OperatingSystem.IsLinux() ? AvailableLinux()
        : OperatingSystem.IsWindows() ? MasksWindows()?.System
        : null;

    /// <summary>The CPUs that this process runs on; null where the system has no affinity.</summary>
    public static CpuSet? Current() => OperatingSystem.IsLinux() ? CurrentLinux(new SystemFiles())
        : OperatingSystem.IsWindows() ? MasksWindows()?.Process
        : null;

    /// <summary>What this process runs on as reports show it: <c>0-1</c>, or <c>free</c> when nothing holds it back.</summary>
    public static string Describe() =>
        Current() is { } current && current.ToString() != Available()?.ToString() ? current.ToString() : "free";

    /// <summary>
    /// Starts a child that runs on <paramref name="cpus"/> from its first instruction; null leaves it what this process has.
    /// </summary>
    /// <param name="info">The program and its arguments.</param>
    /// <param name="cpus">The CPUs.</param>
    /// <param name="name">What messages call the child; null: they name its program alone.</param>
    /// <exception cref="EnvironmentException">It cannot be started, or the system refused the set.</exception>
    public static Process Start(ProcessStartInfo info, CpuSet? cpus, string? name = null)
    {
        try
        {
            return cpus is null ? StartHere(info) : OperatingSystem.IsLinux() ? StartLinux(info, cpus) : StartWindows(info, cpus);
        }
        // What .NET itself says names the program and the folder once more; of a folder it says "Success".
        catch (Exception e) when (e is Win32Exception or IOException)
        {
            var why = Directory.Exists(info.FileName) ? "it is a folder"
                : e is Win32Exception system ? new Win32Exception(system.NativeErrorCode).Message
                : e.Message.TrimEnd('.');
            throw new EnvironmentException($"cannot start {(name is null ? "" : $"{name}: ")}{info.FileName}: {why}", e);
        }
    }

    private static Process StartHere(ProcessStartInfo info) =>
        Process.Start(info) ?? throw new EnvironmentException($"cannot start {info.FileName}");

    private static EnvironmentException Refused(CpuSet cpus) =>
        new($"the system did not let a process run on CPUs {cpus}: choose others or leave the option out");
}
