using System.Globalization;
using System.Net.NetworkInformation;
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

/// <summary>The number of local ports that are free for TCP connections to one server. 0 when the system does not report it.</summary>
public static class PortSpace
{
    private const int WindowsPorts = 16384; // 49152-65535 (RFC 6335), the default range of Windows

    public static int Free()
    {
        try
        {
            return OperatingSystem.IsLinux() ? Linux(new SystemFiles()) : OperatingSystem.IsWindows() ? WindowsPorts - Waiting() : 0;
        }
        catch (NetworkInformationException)
        {
            return 0;
        }
    }

    /// <summary>
    /// Computes the size of the port range, less the connections in TIME_WAIT. At least 1 when the range is known.
    /// </summary>
    internal static int Linux(ISystemFiles files)
    {
        var range = files.Read("/proc/sys/net/ipv4/ip_local_port_range").Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        if (range is not [var low, var high] || !Number(low, out var first) || !Number(high, out var last))
            return 0;
        var words = files.Read("/proc/net/sockstat").Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        var at = Array.IndexOf(words, "tw");
        var waiting = at >= 0 && at + 1 < words.Length && Number(words[at + 1], out var count) ? count : 0;
        return Math.Max(1, last - first + 1 - waiting);
    }

    private static int Waiting() => IPGlobalProperties.GetIPGlobalProperties()
        .GetActiveTcpConnections()
        .Count(connection => connection.State == TcpState.TimeWait);

    private static bool Number(string text, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
}
