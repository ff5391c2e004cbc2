using System.Globalization;
using System.Text;

namespace IpcBench.Client.Profile;

/// <summary>The folder for temporary files of a process, also of a process in a container. A .NET runtime has its socket there.</summary>
internal sealed class RuntimeFolder(int process)
{
    private readonly string folder = FolderOf(process);

    /// <summary>The id that the process itself sees, which differs in a container.</summary>
    private readonly string id = LineOf(process, "NSpid:").Split('\t', ' ') is [.., { Length: > 0 } inner]
        ? inner : process.ToString(CultureInfo.InvariantCulture);

    /// <summary>The socket for commands. Null when the process is not .NET, or belongs to another user.</summary>
    public string? Port => Try(() => Directory.GetFiles(folder, $"dotnet-diagnostic-{id}-*-socket").FirstOrDefault());

    /// <summary>The file with the names of compiled methods.</summary>
    public string Map => Path.Combine(folder, $"perf-{id}.map");

    /// <summary>Reads the names and the mappings. Null when they cannot be read.</summary>
    public CodeMap? Read() =>
        Try(() => new CodeMap(File.ReadLines(Map), File.ReadLines(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/maps"))));

    /// <summary>Returns the rest of a line of <c>/proc/PID/status</c>. Empty when there is none.</summary>
    public static string LineOf(int process, string name) => Try(() => File.ReadLines(
        string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/status")).FirstOrDefault(
            line => line.StartsWith(name, StringComparison.Ordinal)))?[name.Length..].Trim() ?? "";

    private static string FolderOf(int process)
    {
        var proc = string.Create(CultureInfo.InvariantCulture, $"/proc/{process}");
        const string variable = "TMPDIR=";
        var own = Try(() => Encoding.UTF8.GetString(File.ReadAllBytes(proc + "/environ")).Split('\0')
            .FirstOrDefault(one => one.StartsWith(variable, StringComparison.Ordinal)))?[variable.Length..];
        var folder = string.IsNullOrEmpty(own) ? "/tmp" : own;
        return Directory.Exists(proc + "/root" + folder) ? proc + "/root" + folder : folder;
    }

    private static T? Try<T>(Func<T?> read)
        where T : class
    {
        try
        {
            return read();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
