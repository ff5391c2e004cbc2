using System.Globalization;
using System.Net.NetworkInformation;

namespace IpcBench.Host;

/// <summary>Estimates how many local ports are free for TCP connections to one server. 0 when this number is unknown.</summary>
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
