using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// The servers of a run and the targets on them. This class starts the servers on private endpoints, unless the user
/// names running servers.
/// </summary>
internal sealed class ServerSet : IAsyncDisposable
{
    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(0.5);

    private readonly RunOptions options;
    private readonly IReadOnlyDictionary<string, string?> hiddenVariables;
    private readonly List<ChildServer> processes = [];
    private List<Target> targets = [];
    private readonly List<Address> controlAddresses = [];
    private readonly Dictionary<Address, ServerOwner> owners = [];
    private IReadOnlyDictionary<Address, ServerControl> controls = new Dictionary<Address, ServerControl>();

    // places: the addresses of the first servers, in the requested order. present: for each of these addresses, the address
    // of the server that runs in its place now.
    private readonly List<Address> places = [];
    private Dictionary<Address, Address> present = [];
    private bool isReversed;
    private ProcessReaper? reaper;
    private GivenChildren? given;

    private string now = "before its first request";
    private int round;
    private bool isProfiled;

    private ServerSet(RunOptions options, IReadOnlyDictionary<string, string?> hiddenVariables) =>
        (this.options, this.hiddenVariables) = (options, hiddenVariables);

    public IReadOnlyList<Target> Targets => targets;

    public IReadOnlyDictionary<Address, ServerControl> Controls => controls;

    /// <summary>
    /// The processes of each server, by address. For addresses that child processes serve, use <see cref="OwnerOf"/>.
    /// </summary>
    public IReadOnlyDictionary<Address, ServerOwner> Owners => owners;

    /// <summary>
    /// Returns the processes whose CPU time is that of the server at this address. Call it after the connections are open.
    /// </summary>
    public ServerOwner OwnerOf(Address address) =>
        address is Address.Child ? owners[address] with { Pids = Children.Running(address) } : owners[address];

    /// <summary>Messages of the started servers, for example that TLS is left out because there is no certificate.</summary>
    public IEnumerable<string> Complaints => processes.SelectMany(process => process.Complaints).Distinct();

    /// <summary>The servers' descriptions of themselves, with one entry for each process.</summary>
    public IReadOnlyList<ServerInfo> Infos =>
        [.. controls.GroupBy(control => control.Value, control => control.Key).Select(group => group.Key.Info(group)).OfType<ServerInfo>()];

    /// <summary>Starts the servers of the run and asks every server for its description.</summary>
    /// <exception cref="EnvironmentException">A server did not start, or no server answers at an address.</exception>
    public static async Task<ServerSet> OpenAsync(
        RunOptions options, IReadOnlyDictionary<string, string?> hiddenVariables, CancellationToken cancellation)
    {
        var set = new ServerSet(options, hiddenVariables);
        try
        {
            if (options.OwnServer)
            {
                LeftSockets.Remove();
                foreach (var (variant, servers) in await set.StartAllAsync(cancellation))
                {
                    set.targets.AddRange(servers.SelectMany(server => TargetList.For(server, variant, options)));
                    set.places.AddRange(servers.SelectMany(server => InOrder(server, isReversed: false)));
                }
            }
            else
            {
                set.OfferCommands();
                set.targets.AddRange(await TargetList.OfGivenAsync(options, cancellation));
            }
            if (options.Call is not null)
                set.targets = [.. await CallTargets.PrepareAsync(options, set.targets, cancellation)];
            set.controls = await ServerControl.OpenAsync(set.targets, set.controlAddresses, options.Connector, set.Patience, cancellation);
            foreach (var address in set.targets.Select(target => target.Address).Distinct().Except(set.owners.Keys))
                set.owners[address] = ServerOwner.For(address, options);
            await DownloadCheck.CheckAsync(options, set.controls, cancellation);
            set.now = "before the first round";
            return set;
        }
        catch (IOException e)
        {
            var failure = new EnvironmentException(!options.OwnServer && set.given is null
                ? GrpcCaller.Advised(
                    e, ": is your server running, and does it listen there? Without -U this tool starts a server of its own")
                : await set.DeathAsync(failed: true) ?? e.Message, e);
            await ChildProcess.EndAfterAsync(failure, set);
            throw failure;
        }
        catch (Exception e)
        {
            await ChildProcess.EndAfterAsync(e, set);
            throw;
        }
    }

    /// <summary>Makes the user's commands start when a connection opens. Then <see cref="OwnerOf"/> knows the processes.</summary>
    private void OfferCommands()
    {
        if (!options.Addresses.Any(address => address is Address.Child))
            return;
        given = new GivenChildren(hiddenVariables);
        foreach (var address in given.Offer(options))
            owners[address] = new ServerOwner([], IsOurs: true);
    }

    // A server that this tool started has shown that it listens, so a late answer only means a busy machine. The first call
    // to it also waits for the JIT compiler, so the answer may take as long as a start. At an address of the user, any
    // program may listen and never answer, so there the default applies.
    private TimeSpan? Patience => processes.Count > 0 ? ChildServer.StartDeadline : null;

    /// <summary>Returns how a server that this tool started has ended unexpectedly. Null when all such servers run.</summary>
    /// <param name="failed">True when a server does not answer. This method then waits a moment for the end of a process.</param>
    public async Task<string?> DeathAsync(bool failed)
    {
        if (failed)
            await Task.WhenAny([.. processes.Select(process => process.Ended), Task.Delay(EndPatience)]);
        return processes.Select(process => process.Death(now)).FirstOrDefault(death => death is not null) ?? DeathOfChild();
    }

    private string? DeathOfChild() => Children.Dead(owners.Keys) is not var (kind, code, words) ? null
        : string.Create(CultureInfo.InvariantCulture, $"a child that this tool started for {kind} ")
            + (code is { } known ? ChildServer.HowItEnded(known) : "closed the connection") + $" {now}: "
            + (words.Length > 0 ? words : "it wrote nothing");

    /// <summary>Notes that a round begins, so that the message about the end of a server can name the round.</summary>
    public void Enter(int number)
    {
        if (!isProfiled)
            (round, now) = (number, string.Create(CultureInfo.InvariantCulture, $"during round {number}"));
    }

    /// <summary>Notes that all following windows are those of <c>--profile</c>, which belong to no round.</summary>
    public void EnterProfile() =>
        (isProfiled, now) = (true, "while it was sampled (--profile), after all rounds, which are kept");

    /// <summary>
    /// Ends the servers that this tool started and starts new ones, so that a round has its own processes. At every second
    /// call, the endpoints are created in reverse order. <see cref="Targets"/> keeps the addresses of the first
    /// servers. <see cref="Now(Target)"/> returns the present address.
    /// </summary>
    /// <exception cref="IOException">A server did not start, or could not be ended.</exception>
    public async Task StartAnewAsync(CancellationToken cancellation)
    {
        if (await DeathAsync(failed: false) is { } death)
            throw new IOException(death);
        foreach (var control in controls.Values.Distinct())
            control.Dispose();
        controls = new Dictionary<Address, ServerControl>();
        var former = processes.AsEnumerable().Reverse().ToList();
        processes.Clear();
        (isReversed, present) = (!isReversed, []);
        controlAddresses.Clear();
        var children = owners.Keys.Where(address => address is Address.Child).ToList();
        owners.Clear();
        try
        {
            await Children.EndAsync(children);
            await ChildProcess.EndAllAsync(former);
            now = string.Create(CultureInfo.InvariantCulture, $"after round {round}");
            var addresses = new List<Address>();
            foreach (var (_, servers) in await StartAllAsync(cancellation))
                addresses.AddRange(servers.SelectMany(server => InOrder(server, isReversed)));
            foreach (var (place, address) in places.Zip(addresses))
                present[place] = address;
            controls = await ServerControl.OpenAsync([.. targets.Select(Now)], controlAddresses, options.Connector, Patience, cancellation);
        }
        catch (EnvironmentException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    /// <summary>Returns the target with the address of its present server.</summary>
    public Target Now(Target target) => target with { Address = present.GetValueOrDefault(target.Address, target.Address) };

    /// <summary>Returns the cell with the address of its present server.</summary>
    public PlannedCell Now(PlannedCell cell)
    {
        var target = Now(cell.Target);
        return cell with { Target = target, Load = cell.Load with { Address = target.Address } };
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var control in controls.Values.Distinct())
            control.Dispose();
        try
        {
            await Children.EndAsync([.. owners.Keys.Where(address => address is Address.Child)]);
            if (given is not null)
                await given.DisposeAsync();
            await ChildProcess.EndAllAsync(processes);
        }
        finally
        {
            reaper?.Dispose();
        }
    }

    private static IEnumerable<Address> InOrder(ChildServer server, bool isReversed)
    {
        var served = server.Endpoints.Where(endpoint => !endpoint.IsEcho);
        return (isReversed ? served.Reverse() : served).Concat(server.Endpoints.Where(endpoint => endpoint.IsEcho))
            .Select(endpoint => endpoint.Address);
    }

    /// <summary>Starts the servers of all variants, at every second call in reverse order. Returns them in the variants' order.</summary>
    private async Task<IReadOnlyList<(Variant, IReadOnlyList<ChildServer>)>> StartAllAsync(CancellationToken cancellation)
    {
        var started = new Dictionary<Variant, IReadOnlyList<ChildServer>>();
        foreach (var variant in isReversed ? options.Variants.Reverse() : options.Variants)
        {
            started[variant] = variant.Command is { } words
                ? await StartGivenAsync(variant.Side, words, cancellation) : [await StartAsync(variant, cancellation)];
        }
        return [.. options.Variants.Select(variant => (variant, started[variant]))];
    }

    /// <summary>Starts the user's server once for each transport.</summary>
    private async Task<IReadOnlyList<ChildServer>> StartGivenAsync(
        string side, IReadOnlyList<string> words, CancellationToken cancellation)
    {
        reaper ??= ProcessReaper.Start(adopting: true);
        var servers = new List<ChildServer>();
        foreach (var kind in options.Transports)
        {
            var command = new GivenCommand($"the {side} server", words, kind, options.ServerCpus, hiddenVariables);
            var server = await ChildServer.StartAsync(command, cancellation, reaper: reaper);
            processes.Add(server);
            servers.Add(server);
            owners[command.Probe] = new ServerOwner(server.Ids, IsOurs: true);
        }
        return servers;
    }

    private async Task<ChildServer> StartAsync(Variant variant, CancellationToken cancellation)
    {
        var (served, echo) = TargetList.Kinds(options, variant);
        var command = new ChildServerCommand(
            [.. (isReversed ? served.Reverse() : served).Select(ChildProcess.PrivateAddress)],
            [.. echo.Select(ChildProcess.PrivateAddress)],
            options.Protocols.Any(ProtocolTable.IsJsonRpc), options.Topologies.Max(topology => topology.Streams), variant.Knobs,
            options.ServerCpus, hiddenVariables);
        var server = await ChildServer.StartAsync(command, cancellation);
        processes.Add(server);
        var offered = server.Endpoints.Select(endpoint => (endpoint.Address.Kind, endpoint.IsEcho)).Distinct().Count();
        if (offered < served.Distinct().Count() + echo.Distinct().Count())
        {
            throw new EnvironmentException(
                $"the server offers {server.Endpoints.Count} of {served.Count + echo.Count} endpoints: "
                    + $"{string.Join(" ", server.Complaints)}");
        }
        controlAddresses.Add(server.Endpoints.First(endpoint => !endpoint.IsEcho && endpoint.Address is not Address.Child).Address);
        foreach (var endpoint in server.Endpoints)
        {
            owners[endpoint.Address] = new ServerOwner([server.Id], IsOurs: true, MayFork: false);
            if (endpoint.Address is Address.Child child)
                Children.Offer(child, end => command.StartChild(child, end));
        }
        return server;
    }
}
