using System.Globalization;

namespace IpcBench.Server.Machine;

/// <summary>How many files and sockets this process may have open.</summary>
internal static class FileLimit
{
    /// <summary>The limit in force, or null where there is none or the system does not tell.</summary>
    public static long? Read()
    {
        const string limits = "/proc/self/limits", row = "Max open files";
        if (!OperatingSystem.IsLinux() || !File.Exists(limits))
            return null;
        // "Max open files            1024                 20000                files": soft, then hard.
        var line = File.ReadLines(limits).FirstOrDefault(line => line.StartsWith(row, StringComparison.Ordinal));
        var soft = line?[row.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        return long.TryParse(soft, NumberStyles.None, CultureInfo.InvariantCulture, out var files) ? files : null;
    }
}
