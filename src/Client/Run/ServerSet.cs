using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Callers;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>The servers of a run: started here on private endpoints, or somebody's own; and what is to be measured on them.</summary>
internal sealed class ServerSet : IAsyncDisposable
{
    private readonly List<ChildServer> processes = [];
    private readonly List<Target> targets = [];
    private readonly List<Address> controls = [];
    private IReadOnlyDictionary<Address, ServerLink> links = new Dictionary<Address, ServerLink>();

    private ServerSet()
    {
    }

    public IReadOnlyList<Target> Targets => targets;

    public IReadOnlyDictionary<Address, ServerLink> Links => links;

    /// <summary>What the started servers had to say, e.g. that TLS is left out for want of a certificate.</summary>
    public IEnumerable<string> Complaints => processes.SelectMany(process => process.Complaints).Distinct();

    /// <summary>What the servers tell about themselves, one entry for each process.</summary>
    public IReadOnlyList<ServerInfo> Infos =>
        [.. links.GroupBy(link => link.Value, link => link.Key).Select(group => group.Key.Info(group)).OfType<ServerInfo>()];

    /// <summary>Starts what has to be started and asks every server what it is.</summary>
    /// <exception cref="EnvironmentException">A server did not start, or nobody answers at an address.</exception>
    public static async Task<ServerSet> OpenAsync(RunOptions options, IReadOnlyDictionary<string, string?> hiddenVariables, CancellationToken cancellation)
    {
        var set = new ServerSet();
        try
        {
            if (options.OwnServer)
            {
                foreach (var variant in options.Variants)
                    await set.StartAsync(options, variant, hiddenVariables, cancellation);
            }
            else if (options.Http.Count > 0)
            {
                set.targets.AddRange(await HttpTargets.ProbeAsync(options, cancellation));
            }
            else
            {
                set.AddGiven(options);
            }
            set.links = await ServerLink.OpenAsync(set.targets, set.controls, options.Connector, cancellation);
            return set;
        }
        catch (IOException e)
        {
            await set.DisposeAsync();
            throw new EnvironmentException($"{e.Message} — start a server there (GrpcBench serve --help), or leave out -U to have one started", e);
        }
        catch
        {
            await set.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var link in links.Values.Distinct())
            link.Dispose();
        foreach (var process in processes)
            await process.DisposeAsync();
    }

    private async Task StartAsync(RunOptions options, Variant variant, IReadOnlyDictionary<string, string?> hiddenVariables, CancellationToken cancellation)
    {
        var kinds = options.AgainstItself && variant == options.Variants[0] ? [.. options.Transports, ReferenceArm.OfTransports(options)] : options.Transports;
        var echo = options.Protocols.Contains(Catalogue.Echo) ? kinds : [];
        // A server that is only to echo still has to be asked for its counters.
        var served = options.Protocols.Any(protocol => protocol != Catalogue.Echo) ? kinds : [kinds[0]];
        var server = await ChildServer.StartAsync(
            new ChildServerCommand([.. served.Select(PrivateAddress)], [.. echo.Select(PrivateAddress)], options.Topologies.Max(topology => topology.Streams), variant.Knobs, options.ServerCpus, hiddenVariables),
            cancellation);
        processes.Add(server);
        if (server.Endpoints.Select(endpoint => (endpoint.Address.Kind, endpoint.IsEcho)).Distinct().Count() < served.Distinct().Count() + echo.Distinct().Count())
            throw new EnvironmentException($"the server offers {server.Endpoints.Count} of {served.Count + echo.Count} endpoints: {string.Join(" ", server.Complaints)}");
        controls.Add(server.Endpoints.First(endpoint => !endpoint.IsEcho).Address);
        foreach (var protocol in options.Protocols)
        {
            var seen = new HashSet<string>();
            foreach (var endpoint in server.Endpoints.Where(endpoint => endpoint.IsEcho == (protocol == Catalogue.Echo)))
                targets.Add(new Target(endpoint.Address, variant, seen.Add(endpoint.Address.Kind) ? "" : "a/a", endpoint.Note, protocol));
        }
    }

    private void AddGiven(RunOptions options)
    {
        var seen = new Dictionary<string, int>();
        foreach (var variant in options.Variants)
        {
            seen.Clear();
            foreach (var address in options.Addresses)
            {
                var number = seen[address.Kind] = seen.GetValueOrDefault(address.Kind) + 1;
                var note = address is Address.Pipe ? NamedPipeConnector.Note : "";
                var mark = number == 1 ? "" : number == 2 && options.AgainstItself && address.Kind == ReferenceArm.OfAddresses(options) ? "a/a" : "#" + number.ToString(CultureInfo.InvariantCulture);
                targets.AddRange(options.Protocols.Select(protocol => new Target(address, variant, mark, note, protocol)));
            }
        }
    }

    // Names that no other run has: several runs at once must not meet.
    private static Address PrivateAddress(string kind)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"grpcbench-{Environment.ProcessId}-{Guid.NewGuid().ToString("N")[..8]}");
        return kind switch
        {
            "tcp" => new Address.Tcp("localhost", 0),
            "tls" => new Address.Tls("localhost", 0),
            "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), name + ".sock")),
            "pipe" => new Address.Pipe(name),
            _ => throw new UsageException($"there is no transport '{kind}': it is one of tcp, tls, unix, pipe"),
        };
    }
}
