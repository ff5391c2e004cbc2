using System.ComponentModel;
using System.Globalization;
using System.Net;

namespace IpcBench.Host;

/// <summary>The process that listens at an address of this machine: its number, or one sentence why it is not known.</summary>
/// <param name="Pid">Null when <paramref name="Reason"/> says why.</param>
/// <param name="Reason">Empty when the process was found.</param>
public sealed partial record ListenerOwner(int? Pid, string Reason)
{
    // By /proc/<pid>/comm, which has 15 characters. On Windows and macOS containers are behind programs of Docker's own.
    private static readonly string[] Forwarders =
        ["docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "com.docker.back", "com.docker.backend", "wslrelay"];

    /// <summary>Asks the system; a socket file and a pipe are connected to for it, and the connection is closed at once.</summary>
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

    /// <summary>Whether this process is that one or runs under it.</summary>
    public static bool IsAboveThis(int pid) => pid == Environment.ProcessId || Ancestors().Contains(pid);

    /// <summary>Refuses a process whose CPU time is not the server's alone.</summary>
    internal static ListenerOwner Judge(int pid, IReadOnlyList<int> ancestors, string name = "") => pid switch
    {
        <= 0 when OperatingSystem.IsWindows() => Unknown("the system does not tell which process listens"),
        4 when OperatingSystem.IsWindows() => Unknown("the kernel itself listens (HTTP.sys): its CPU time is not a server's"),
        <= 0 => Unknown("the process that listens is outside of this process's pid namespace (in another container)"),
        1 => Unknown("process 1 listens, which starts servers on demand or is all there is of a container: its CPU time is not a server's"),
        _ when pid == Environment.ProcessId => Unknown("this process itself listens"),
        _ when ancestors.Contains(pid) => Unknown(string.Create(CultureInfo.InvariantCulture,
            $"process {pid} listens, under which this one was started: its CPU time would count this one's as well")),
        _ when name is "systemd" => Unknown($"{name} listens, which starts servers on demand: its CPU time is not a server's"),
        _ when Forwarders.Contains(name) => Unknown(
            $"{name} listens, which hands connections on to a container: its CPU time is not a server's"),
        _ => new ListenerOwner(pid, ""),
    };

    private static ListenerOwner Unknown(string reason) => new(null, reason);

    /// <summary>The processes that hold the socket, less those that inherited it; one is left unless several share the address.</summary>
    /// <param name="holders">Those that were seen with it.</param>
    /// <param name="parentOf">Who started whom.</param>
    /// <param name="hidden">
    /// Of some processes it could not be seen: several children of one that is no root of all have it from there.
    /// </param>
    internal static ListenerOwner Choose(IReadOnlyCollection<int> holders, Func<int, int?> parentOf, bool hidden = false)
    {
        var first = holders.Where(pid => !Parents(pid, parentOf).Any(holders.Contains)).Order().ToList();
        if (hidden && first.Count > 1 && first.Select(parentOf).Distinct().ToList() is [> 1 and var parent])
            return new ListenerOwner(parent, "");
        return first switch
        {
            [] => Unknown("no process that listens there was found"),
            [var pid] => new ListenerOwner(pid, ""),
            _ => Unknown($"several processes listen there ({string.Join(", ", first)})"),
        };
    }

    private static IReadOnlyList<int> Ancestors() => [.. Parents(Environment.ProcessId, ProcessTree.ParentFinder())];

    // On Windows another process may have the number of a parent that has ended, so that parents can form a circle.
    private static IEnumerable<int> Parents(int pid, Func<int, int?> parentOf)
    {
        var seen = new HashSet<int> { pid };
        for (var parent = parentOf(pid); parent is { } one && seen.Add(one); parent = parentOf(one))
            yield return one;
    }
}

/// <summary>Where a process of this machine listens, as the system names it.</summary>
public abstract record LocalEndpoint
{
    /// <param name="Port">The port.</param>
    /// <param name="Ip">Null: any address of this machine.</param>
    public sealed record TcpPort(int Port, IPAddress? Ip = null) : LocalEndpoint;

    /// <param name="Name">The path; an abstract name begins with a zero (unix(7)).</param>
    public sealed record UnixName(string Name) : LocalEndpoint;

    /// <summary>A named pipe of Windows.</summary>
    /// <param name="Name">Without <c>\\.\pipe\</c>.</param>
    public sealed record WindowsPipe(string Name) : LocalEndpoint;
}
