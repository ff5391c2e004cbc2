using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

public static partial class Affinity
{
    private const int MaskBytes = 1024; // 8192 CPUs: sched_getaffinity(2) refuses a buffer smaller than the kernel's own mask

    // The kernel reduces a requested set to the CPUs that the process's cpuset allows. So a request for all CPUs shows
    // which CPUs are allowed, even if the process uses fewer at present.
    private static CpuSet? AvailableLinux()
    {
        var mask = new byte[MaskBytes];
        if (sched_getaffinity(0, MaskBytes, mask) != 0)
            return null;
        var all = new byte[MaskBytes];
        Array.Fill(all, (byte)0xFF);
        if (sched_setaffinity(0, MaskBytes, all) != 0)
            return FromMask(mask);
        var available = new byte[MaskBytes];
        var read = sched_getaffinity(0, MaskBytes, available);
        _ = sched_setaffinity(0, MaskBytes, mask);
        return FromMask(read == 0 ? available : mask);
    }

    // /proc/self/status shows the CPUs of the main thread, whichever thread reads the file.
    internal static CpuSet? CurrentLinux(ISystemFiles files)
    {
        const string field = "Cpus_allowed_list:";
        var lines = files.Read("/proc/self/status").Split('\n');
        var line = lines.FirstOrDefault(text => text.StartsWith(field, StringComparison.Ordinal));
        return line is not null && CpuSet.TryParse(line[field.Length..].Trim(), out var set, out _) ? set : null;
    }

    // A child inherits the affinity of the thread that forks it. So the calling thread has the child's set of CPUs
    // while it starts the child.
    private static Process StartLinux(ProcessStartInfo info, CpuSet cpus)
    {
        var before = new byte[MaskBytes];
        _ = sched_getaffinity(0, MaskBytes, before);
        SetThread(cpus);
        try
        {
            return StartHere(info);
        }
        finally
        {
            _ = sched_setaffinity(0, MaskBytes, before);
        }
    }

    /// <summary>Moves only the calling thread to <paramref name="cpus"/>. Works on Linux only.</summary>
    public static void SetThread(CpuSet cpus)
    {
        var mask = new byte[MaskBytes];
        foreach (var cpu in cpus.Cpus)
            mask[cpu / 8] |= (byte)(1 << (cpu % 8));
        if (sched_setaffinity(0, MaskBytes, mask) != 0)
            throw Refused(cpus);
    }

    private static CpuSet? FromMask(byte[] mask)
    {
        var cpus = Enumerable.Range(0, MaskBytes * 8).Where(cpu => (mask[cpu / 8] & (1 << (cpu % 8))) != 0).ToList();
        return cpus.Count == 0 ? null : CpuSet.From(cpus);
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int sched_getaffinity(int thread, nint size, [Out] byte[] mask);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int sched_setaffinity(int thread, nint size, byte[] mask);
}
