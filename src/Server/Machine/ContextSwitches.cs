using System.Runtime.InteropServices;

namespace IpcBench.Server.Machine;

/// <summary>How often the system took a processor from this process, or was given one back.</summary>
internal static partial class ContextSwitches
{
    private const int Self = 0;

    /// <summary>Voluntary and involuntary, of all threads; 0 where the system does not tell.</summary>
    public static unsafe long OfThisProcess()
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess)
            return 0;
        // struct rusage of getrusage(2) on 64-bit Linux: two timevals (four longs), then fourteen longs that end with these two.
        const int longs = 18, voluntary = 16, involuntary = 17;
        var usage = stackalloc long[longs];
        return GetResourceUsage(Self, usage) == 0 ? usage[voluntary] + usage[involuntary] : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static unsafe partial int GetResourceUsage(int who, long* usage);
}
