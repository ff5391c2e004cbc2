using System.Globalization;
using System.Text;
using IpcBench.Host;

namespace IpcBench.Client.Profile;

/// <summary>The files through which a .NET runtime communicates with tools. The process may run in a container.</summary>
internal sealed class RuntimeFolder(int process)
{
    private readonly string root = RootOf(process);

    /// <summary>The process id that the process itself sees. In a container it differs from the id outside.</summary>
    private readonly string id = LineOf(process, "NSpid:").Split('\t', ' ') is [.., { Length: > 0 } inner]
        ? inner : process.ToString(CultureInfo.InvariantCulture);

    /// <summary>
    /// The socket for commands, on Windows the name of the pipe. Null when the process is not .NET, or belongs to another user.
    /// </summary>
    public string? Port => OperatingSystem.IsWindows()
        ? Try(() => Directory.GetFiles(@"\\.\pipe\", $"dotnet-diagnostic-{id}").Select(Path.GetFileName).FirstOrDefault())
        : Try(() => Directory.GetFiles(root + TemporaryOf(process), $"dotnet-diagnostic-{id}-*-socket").MaxBy(IsOfThisStart));

    /// <summary>
    /// The file with the names of compiled methods. The runtime writes this file to /tmp, where perf looks for it, even if TMPDIR names
    /// another folder.
    /// </summary>
    public string Map => $"{root}/tmp/perf-{id}.map";

    /// <summary>Reads the names and the mappings. Null when they cannot be read.</summary>
    public CodeMap? Read() =>
        Try(() => new CodeMap(File.ReadLines(Map), File.ReadLines(Proc(process, "maps"))));

    /// <summary>Returns the text after <paramref name="name"/> in a line of <c>/proc/PID/status</c>. Empty without such a line.</summary>
    public static string LineOf(int process, string name) => Try(() => File.ReadLines(Proc(process, "status"))
        .FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal)))?[name.Length..].Trim() ?? "";

    /// <summary>
    /// Returns the name of a thread, by the number that the process itself sees. Without such a name, as on Windows, <c>thread</c>.
    /// </summary>
    public string NameOf(long thread) => Try(() => File.ReadAllText(
        string.Create(CultureInfo.InvariantCulture, $"{root}/proc/{id}/task/{thread}/comm")).Trim()) ?? "thread";

    // A killed process leaves its socket file, and a later process may get the same id. The third part of the name is the time at which
    // the process started, in ticks after the start of the system (proc_pid_stat(5)).
    private bool IsOfThisStart(string file) => file.EndsWith(
        string.Create(CultureInfo.InvariantCulture, $"-{ProcessClock.Read(process)?.StartTicks}-socket"), StringComparison.Ordinal);

    private static string TemporaryOf(int process)
    {
        const string variable = "TMPDIR=";
        var own = Try(() => Encoding.UTF8.GetString(File.ReadAllBytes(Proc(process, "environ"))).Split('\0')
            .FirstOrDefault(one => one.StartsWith(variable, StringComparison.Ordinal)))?[variable.Length..];
        return string.IsNullOrEmpty(own) ? "/tmp" : own;
    }

    // Empty for a process that sees the same files as this process. This keeps socket paths short: they have at most 107 bytes.
    private static string RootOf(int process) =>
        Try(() => File.ResolveLinkTarget(Proc(process, "ns/mnt"), false)?.Name)
            == Try(() => File.ResolveLinkTarget("/proc/self/ns/mnt", false)?.Name) ? "" : Proc(process, "root");

    private static string Proc(int process, string name) => string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/{name}");

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
