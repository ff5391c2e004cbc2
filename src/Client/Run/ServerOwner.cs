using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// The server's processes at one address, or why they are unknown. The server's CPU time is that of these processes
/// and their descendants.
/// </summary>
/// <param name="Pids">Empty when <paramref name="Reason"/> is given.</param>
/// <param name="Reason">Why the processes are unknown. Empty when they are known, or when they were not searched for.</param>
/// <param name="IsOurs">True when this tool started the server.</param>
/// <param name="MayFork">False for this project's server, which starts no processes.</param>
internal sealed record ServerOwner(IReadOnlyList<int> Pids, string Reason = "", bool IsOurs = false, bool MayFork = true)
{
    /// <summary>
    /// Finds the processes of a given server: the processes that the user named, or else the process that listens at the address.
    /// </summary>
    public static ServerOwner For(Address address, RunOptions options)
    {
        if (options.ServerPids is { } named)
            return new ServerOwner(named);
        try
        {
            if (EndpointHere(address) is not { } endpoint)
                return new ServerOwner([], $"{address} is not on this machine");
            var found = ListenerOwner.Find(endpoint);
            return found.Pid is not { } pid ? new ServerOwner([], found.Reason + ": name the server's processes with --server-pids")
                : ProcessClock.Read(pid) is null ? new ServerOwner([], string.Create(
                    CultureInfo.InvariantCulture, $"the CPU time of process {pid}, which listens at {address}, cannot be read"))
                : new ServerOwner([pid]);
        }
        catch (SocketException e)
        {
            return new ServerOwner([], $"the host of {address} could not be resolved: {e.Message}");
        }
    }

    /// <summary>
    /// Makes the records for the results file: one for each known process, and one for each distinct reason why processes are unknown.
    /// Each record lists its addresses. Servers that this tool started have no record.
    /// </summary>
    public static IReadOnlyList<ServerProcess> Records(IReadOnlyDictionary<Address, ServerOwner> owners) =>
        [.. from owner in owners
            where !owner.Value.IsOurs && (owner.Value.Pids.Count > 0 || owner.Value.Reason.Length > 0)
            from pid in owner.Value.Pids.Select(pid => (int?)pid).DefaultIfEmpty(null)
            group owner.Key.ToString() by (Pid: pid, Reason: pid is null ? owner.Value.Reason : "") into same
            select new ServerProcess
            {
                Addresses = [.. same],
                Pid = same.Key.Pid,
                Name = same.Key.Pid is { } pid ? ProcessTree.NameOf(pid) : "",
                Reason = same.Key.Reason,
            }];

    /// <summary>Finds the endpoint at an address. Null for an address on another machine.</summary>
    private static LocalEndpoint? EndpointHere(Address address)
    {
        var endpoint = LocalEndpoints.From(address);
        if (endpoint is not LocalEndpoint.TcpPort tcp)
            return endpoint;
        var ips = tcp.Ip is { } ip ? [ip] : Dns.GetHostAddresses(address is Address.Tls tls ? tls.Host : ((Address.Tcp)address).Host);
        if (ips.Any(IPAddress.IsLoopback))
            return tcp;
        var own = NetworkInterface.GetAllNetworkInterfaces().SelectMany(one => one.GetIPProperties().UnicastAddresses)
            .Select(one => one.Address).ToHashSet();
        return ips.FirstOrDefault(own.Contains) is { } here ? tcp with { Ip = here } : null;
    }
}
