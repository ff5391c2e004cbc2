using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>
/// How many files and sockets this process may have open; <see cref="long.MaxValue"/> where nothing limits it or the system does not tell.
/// </summary>
public readonly partial record struct OpenFileLimit(long Soft, long Hard)
{
    /// <summary>Descriptors beyond one per connection: the runtime's own, assemblies, epoll, logs, the results file.</summary>
    public const int Reserve = 100;

    private const int RlimitNofile = 7;     // the same on x86 and ARM (asm-generic/resource.h)

    private static readonly OpenFileLimit Unlimited = new(long.MaxValue, long.MaxValue);

    public static OpenFileLimit Read() => OperatingSystem.IsLinux() ? ReadLinux() : Unlimited;

    /// <summary>Raises the soft limit to the hard one (any process may) and returns what holds now.</summary>
    public static OpenFileLimit Raise() => OperatingSystem.IsLinux() ? RaiseLinux() : Read();

    /// <summary>Room for this many connections?</summary>
    public bool Allows(int connections) => Soft >= (long)connections + Reserve;

    private static OpenFileLimit ReadLinux() => getrlimit(RlimitNofile, out var limits) == 0 ? Of(limits) : Unlimited;

    private static OpenFileLimit RaiseLinux()
    {
        if (getrlimit(RlimitNofile, out var limits) != 0)
            return Unlimited;
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
