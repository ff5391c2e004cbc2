using System.ComponentModel;
using System.Globalization;

namespace IpcBench.Host;

/// <summary>
/// The process that listens at an address of this machine: its id, or one sentence with the reason why the process is unknown.
/// </summary>
/// <param name="Pid">The process id. Null when <paramref name="Reason"/> is given.</param>
/// <param name="Reason">Why the process is unknown. Empty when the process was found.</param>
public sealed partial record ListenerOwner(int? Pid, string Reason)
{
    // Programs that forward connections to containers. The names are those of /proc/<pid>/comm, which holds 15
    // characters. On Windows and macOS, the forwarders are Docker's own programs.
    private static readonly string[] Forwarders =
        ["docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "com.docker.back", "com.docker.backend", "wslrelay"];

    /// <summary>
    /// Finds the process that listens. For a Unix socket or a pipe, this opens a connection and closes it at once.
    /// </summary>
    public static ListenerOwner Find(LocalEndpoint endpoint)
    {
        try
        {
            var found = OperatingSystem.IsLinux() ? FindLinux(endpoint)
                : OperatingSystem.IsWindows() ? FindWindows(endpoint)
                : Unknown("this system does not tell which process listens");
            return found.Pid is { } pid ? Judge(pid, Ancestors(), ProcessTree.NameOf(pid)) : found;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or Win32Exception or TimeoutException)
        {
            return Unknown($"the process that listens could not be found: {e.Message}");
        }
    }

    /// <summary>Whether the process is this process or an ancestor of this process.</summary>
    public static bool IsAboveThis(int pid) => pid == Environment.ProcessId || Ancestors().Contains(pid);

    /// <summary>Returns the process, or the reason why the CPU time of the process is not the CPU time of one server.</summary>
    internal static ListenerOwner Judge(int pid, IReadOnlyList<int> ancestors, string name = "") => pid switch
    {
        <= 0 when OperatingSystem.IsWindows() => Unknown("the system does not tell which process listens"),
        4 when OperatingSystem.IsWindows() => Unknown("the kernel itself listens (HTTP.sys): its CPU time is not a server's"),
        <= 0 => Unknown("the process that listens is outside of this process's pid namespace (in another container)"),
        1 => Unknown("process 1 listens (an init that starts servers on demand, or a whole container): its CPU time is not a server's"),
        _ when pid == Environment.ProcessId => Unknown("this tool itself listens"),
        _ when ancestors.Contains(pid) => Unknown(string.Create(CultureInfo.InvariantCulture,
            $"process {pid} listens and is an ancestor of this tool: its CPU time would include this tool's")),
        _ when name is "systemd" => Unknown($"{name} listens and starts servers on demand: its CPU time is not a server's"),
        _ when Forwarders.Contains(name) => Unknown(
            $"{name} listens and forwards connections to a container: its CPU time is not a server's"),
        _ => new ListenerOwner(pid, ""),
    };

    private static ListenerOwner Unknown(string reason) => new(null, reason);

    /// <summary>
    /// Chooses the process that owns the socket: the holder that has no other holder among its ancestors. Unknown if
    /// several holders are left.
    /// </summary>
    /// <param name="holders">The processes that have the socket open.</param>
    /// <param name="hidden">
    /// Whether the open files of some processes could not be read. If so, and several holders are left that have a
    /// common parent other than process 1, this parent is the owner.
    /// </param>
    internal static ListenerOwner Choose(IReadOnlyCollection<int> holders, Func<int, int?> parentOf, bool hidden = false)
    {
        var first = holders.Where(pid => !Parents(pid, parentOf).Any(holders.Contains)).Order().ToList();
        if (hidden && first.Count > 1 && first.Select(parentOf).Distinct().ToList() is [> 1 and var parent])
            return new ListenerOwner(parent, "");
        return first switch
        {
            [] => Unknown("no process that listens at this address was found"),
            [var pid] => new ListenerOwner(pid, ""),
            _ => Unknown($"several processes listen at this address ({string.Join(", ", first)})"),
        };
    }

    private static IReadOnlyList<int> Ancestors() => [.. Parents(Environment.ProcessId, ProcessTree.ParentFinder())];

    // On Windows a new process may have the id of a parent that has ended. A search from parent to parent can therefore
    // meet a process twice, and ends there.
    private static IEnumerable<int> Parents(int pid, Func<int, int?> parentOf)
    {
        var seen = new HashSet<int> { pid };
        for (var parent = parentOf(pid); parent is { } one && seen.Add(one); parent = parentOf(one))
            yield return one;
    }
}
