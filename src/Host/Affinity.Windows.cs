using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

public static partial class Affinity
{
    // A mask covers one processor group (at most 64 CPUs). For a process in several groups Windows
    // reports empty masks. The result is then null.
    private static (CpuSet Process, CpuSet System)? MasksWindows() =>
        GetProcessAffinityMask(GetCurrentProcess(), out var process, out var system) && process != 0
            ? (FromMask(process), FromMask(system))
            : null;

    // A child inherits the mask of its parent, so this process changes its own mask while it starts the child.
    private static Process StartWindows(ProcessStartInfo info, CpuSet cpus)
    {
        var mask = cpus.Cpus.Where(cpu => cpu < 64).Aggregate((nuint)0, (bits, cpu) => bits | ((nuint)1 << cpu));
        var known = GetProcessAffinityMask(GetCurrentProcess(), out var before, out _);
        // If the old mask is unknown, it cannot be restored, and this process would keep the child's mask.
        if (!known || before == 0 || !SetProcessAffinityMask(GetCurrentProcess(), mask))
            throw Refused(cpus);
        try
        {
            return StartHere(info);
        }
        finally
        {
            _ = SetProcessAffinityMask(GetCurrentProcess(), before);
        }
    }

    private static CpuSet FromMask(nuint mask) => CpuSet.From(Enumerable.Range(0, 64).Where(cpu => (mask >> cpu & 1) != 0));

    [LibraryImport("kernel32")]
    private static partial nint GetCurrentProcess();

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetProcessAffinityMask(nint process, out nuint mask, out nuint system);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool SetProcessAffinityMask(nint process, nuint mask);
}
