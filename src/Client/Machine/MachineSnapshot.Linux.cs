using System.Globalization;

namespace IpcBench.Client.Machine;

internal sealed partial record MachineSnapshot
{
    private const long JiffyNs = 10_000_000;    // USER_HZ, the unit of /proc/stat, is 100 on every architecture .NET runs on

    /// <summary>Reads the first line of /proc/stat (proc_stat(5)); null when it is not there.</summary>
    internal static MachineSnapshot? TakeLinux(ISystemFiles files, long timestamp)
    {
        var lines = files.Read("/proc/stat").Split('\n');
        var words = lines[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (words is not ["cpu", _, _, _, var idle, var wait, _, var soft, var steal, ..])
            return null;
        var cpus = lines.Count(line => line.StartsWith("cpu", StringComparison.Ordinal)) - 1;
        return new MachineSnapshot(timestamp, cpus, Jiffies(idle) + Jiffies(wait), Jiffies(soft), Jiffies(steal));
    }

    private static long Jiffies(string text) => long.TryParse(text, CultureInfo.InvariantCulture, out var value) ? value * JiffyNs : 0;
}
