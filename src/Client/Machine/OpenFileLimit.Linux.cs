using System.Runtime.InteropServices;

namespace IpcBench.Client.Machine;

internal readonly partial record struct OpenFileLimit
{
    private const int RlimitNofile = 7;     // the same on x86 and ARM (asm-generic/resource.h)

    private static OpenFileLimit ReadLinux() => getrlimit(RlimitNofile, out var limits) == 0 ? Of(limits) : default;

    private static OpenFileLimit RaiseLinux()
    {
        if (getrlimit(RlimitNofile, out var limits) != 0)
            return default;
        if (limits.Current < limits.Maximum)
            _ = setrlimit(RlimitNofile, limits with { Current = limits.Maximum });
        return ReadLinux();
    }

    // RLIM_INFINITY is all ones.
    private static OpenFileLimit Of(Limits limits) => new(Clamp(limits.Current), Clamp(limits.Maximum));

    private static long Clamp(ulong value) => value > long.MaxValue ? long.MaxValue : (long)value;

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, in Limits limits);

    private record struct Limits(ulong Current, ulong Maximum);
}
