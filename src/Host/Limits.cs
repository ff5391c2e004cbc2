using System.Globalization;
using System.Net.NetworkInformation;
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

/// <summary>How many local ports are left for TCP connections to one server; 0 when it cannot be told.</summary>
public static class PortSpace
{
    private const int WindowsPorts = 16384;     // 49152-65535, the range of RFC 6335 that Windows uses

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

    /// <summary>The range less the connections that still wait out their minute (TIME_WAIT).</summary>
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
