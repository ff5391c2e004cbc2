using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>
/// How many files and sockets this process may have open. <see cref="long.MaxValue"/> when there is no limit or the
/// system does not report it.
/// </summary>
public readonly partial record struct OpenFileLimit(long Soft, long Hard)
{
    /// <summary>
    /// The descriptors that a process needs besides one for each connection: for the runtime,
    /// assemblies, epoll, logs and the results file.
    /// </summary>
    public const int Reserve = 100;

    private const int RlimitNofile = 7; // 7 on x86 and ARM (asm-generic/resource.h)

    private static readonly OpenFileLimit Unlimited = new(long.MaxValue, long.MaxValue);

    public static OpenFileLimit Read() => OperatingSystem.IsLinux() ? ReadLinux() : Unlimited;

    /// <summary>Raises the soft limit to the hard limit, which needs no privilege, and returns the new limits.</summary>
    public static OpenFileLimit Raise() => OperatingSystem.IsLinux() ? RaiseLinux() : Read();

    /// <summary>Whether the soft limit has room for this many connections and the <see cref="Reserve"/>.</summary>
    public bool Allows(int connections) => Soft >= (long)connections + Reserve;

    private static OpenFileLimit ReadLinux() => getrlimit(RlimitNofile, out var limits) == 0 ? From(limits) : Unlimited;

    private static OpenFileLimit RaiseLinux()
    {
        if (getrlimit(RlimitNofile, out var limits) != 0)
            return Unlimited;
        if (limits.Current < limits.Maximum)
            _ = setrlimit(RlimitNofile, limits with { Current = limits.Maximum });
        return ReadLinux();
    }

    // A limit with all bits set is RLIM_INFINITY, which means no limit.
    private static OpenFileLimit From(Limits limits) => new(Clamp(limits.Current), Clamp(limits.Maximum));

    private static long Clamp(ulong value) => value > long.MaxValue ? long.MaxValue : (long)value;

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, in Limits limits);

    private record struct Limits(ulong Current, ulong Maximum);
}
