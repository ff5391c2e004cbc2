using System.CommandLine;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Callers;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary>Turns what was typed into <see cref="RunOptions"/>: defaults filled in, everything checked that can be checked without measuring.</summary>
/// <param name="declared">The options; those that the command does not have are at their defaults.</param>
/// <param name="typed">The command line.</param>
/// <param name="sweeping">There will be more arms than the options say.</param>
/// <param name="given">Servers that were named in another way than with -U.</param>
internal sealed class RunOptionsReader(RunCommandOptions declared, ParseResult typed, bool sweeping = false, IReadOnlyList<Address>? given = null)
{
    private const int DefaultThreads = 5;

    /// <exception cref="UsageException">Something typed cannot be.</exception>
    public RunOptions Read()
    {
        var addresses = given ?? Addresses();
        var own = addresses.Count == 0;
        var quick = typed.GetValue(declared.Quick);
        var connections = Integers(declared.Connections, "-c", "400", 1, 1_000_000);
        var calls = Get(declared.Calls) is { } count ? Calls(count) : (long?)null;
        var rounds = Get(declared.Rounds) ?? (typed.GetValue(declared.Crank) ? "1" : quick ? "6" : own ? "7" : "3");
        var knobs = declared.Knobs.Aggregate(new Knobs(), (knobs, one) => Get(one.Option) is { } text ? one.Knob.Apply(knobs, text) : knobs);
        var options = new RunOptions
        {
            Addresses = addresses,
            Transports = Parsers.List(Get(declared.Transports) ?? "tcp,unix,pipe", "--transports", Transport),
            Sizes = Parsers.List(Get(declared.Sizes) ?? (quick ? "10,10k,1M" : "10,100,1k,10k,100k,1M"), "-s", Parsers.Count),
            Topologies = Topology.All(connections, Integers(declared.Streams, "-m", "1", 1, 1_000_000)),
            Threads = Threads(connections.Min()),
            Duration = Time(declared.Duration, "-d", quick ? "1s" : own ? "2s" : "20s", positive: true),
            Calls = calls,
            ConnectPerCall = PerCall(),
            Warmup = Time(declared.Warmup, "--warmup", quick ? "300ms" : calls is not null ? "500ms" : own ? "1s" : "2s"),
            Timeout = Time(declared.Timeout, "--timeout", "10s", positive: true),
            RoundsAuto = rounds == "auto",
            Rounds = rounds == "auto" ? RunOptions.MostAutoRounds : Integer(rounds, "-r", 1, 1_000_000),
            MaxTime = Time(declared.MaxTime, "--max-time", "30m", positive: true),
            Delta = Parsers.Percent(Get(declared.Delta) ?? "3%", "--delta"),
            Seed = Get(declared.Seed) is { } seed ? Parsers.Count(seed, "--seed") : DateTimeOffset.UtcNow.ToUnixTimeSeconds() % 1_000_000,
            Clients = Parsers.List(Get(declared.Client) ?? "wire", "--client", ClientName),
            Reference = Get(declared.Reference),
            Rate = Get(declared.Rate) is { } rate ? Parsers.Rate(rate, "-R") : null,
            Poisson = Choice(declared.Arrivals, "--arrivals", "constant", "poisson") == "poisson",
            Loads = Get(declared.Load) is { } loads ? Parsers.List(loads, "--load", Parsers.Percent) : [],
            AgainstItself = typed.GetValue(declared.AgainstItself),
            Calibrate = !typed.GetValue(declared.NoCalibration),
            Variants = [new Variant("", knobs)],
            Connector = new ConnectorOptions { Insecure = typed.GetValue(declared.Insecure), CaCertificate = Get(declared.CaCert) },
            ClientCpus = Cpus(declared.ClientCpus, "--client-cpus"),
            ServerCpus = Cpus(declared.ServerCpus, "--server-cpus"),
            Watches = Watches(),
            ServerPids = Get(declared.ServerPids) is { } pids ? Parsers.List(pids, "--server-pids", (text, what) => Integer(text, what, 1, int.MaxValue)) : [],
            Output = Output(),
        };
        Check(options);
        return options;
    }

    private void Check(RunOptions options)
    {
        var servers = options.OwnServer ? options.Transports.Count : options.Addresses.Count;
        if (options.Output.Crank && (servers * options.Sizes.Count * options.Topologies.Count * options.Clients.Count * options.ConnectPerCall.Count != 1 || options.Loads.Count > 0))
            throw new UsageException("--crank measures one cell: name one size with -s and one server with -U");
        if (options.OwnServer && options.ServerPids.Count > 0)
            throw new UsageException("--server-pids is for a server that is not ours: the one this tool starts tells its own CPU time");
        if (!options.OwnServer)
        {
            var foreign = declared.Knobs.FirstOrDefault(one => one.Knob.OnServerAlone && Get(one.Option) is not null);
            if (foreign.Knob is { } knob)
                throw new UsageException($"--{knob.Name} is a setting of the server, and with -U the server is not ours: give it to that server, or leave out -U");
            if (options.ServerCpus is not null)
                throw new UsageException("--server-cpus moves the server this tool starts; with -U use taskset or start /affinity on yours");
            if (Get(declared.Transports) is not null)
                throw new UsageException("--transports is for the server this tool starts; with -U the addresses decide");
            if (options.AgainstItself && options.Addresses.GroupBy(address => address.Kind).All(kind => kind.Count() < 2))
                throw new UsageException("--aa with -U needs two addresses of one kind, e.g. -U http://localhost:5000 -U http://127.0.0.1:5002");
        }
        if (options.RoundsAuto && (options.OwnServer ? options.Transports.Count : options.Addresses.Count) * options.Clients.Count * options.ConnectPerCall.Count < 2 && !options.AgainstItself && !sweeping)
            throw new UsageException("-r auto goes on until a comparison is decided: name at least two servers or transports, or a number of rounds");
        if (options.ConnectPerCall.Contains(true) && options.Topologies.Any(topology => topology.Streams > 1))
            throw new UsageException("-m lets calls share a connection and --connect-per-call gives each its own: use -c alone");
        if (options.Poisson && options.Rate is null && options.Loads.Count == 0)
            throw new UsageException("--arrivals shapes an open loop: add -R 20k or --load 50%");
        if (options.Rate is not null && options.Loads.Count > 0)
            throw new UsageException("-R and --load both set the rate: give one of them");
        if (options.Calls is not null && Get(declared.Duration) is not null)
            throw new UsageException("-n counts calls and -d sets a time: give one of them");
        if (options.Connector.CaCertificate is { } file)
            CheckCertificate(file);
        if (options.Output.Format is { } format && Reports.Find(format) is null)
            throw new UsageException($"--format '{format}' is none of {string.Join(", ", Reports.All.Select(report => report.Format))}");
        if (options.Sizes.Any(size => size > int.MaxValue / 2))
            throw new UsageException("-s is limited to 1 GiB: one gRPC message is one length-prefixed buffer");
    }

    // Read here, so that a file that is no certificate is one sentence and not a failed connection later.
    private static void CheckCertificate(string file)
    {
        try
        {
            var authorities = new X509Certificate2Collection();
            authorities.ImportFromPemFile(file);
            if (authorities.Count == 0)
                throw new UsageException($"--cacert '{file}' holds no certificate in PEM form");
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"--cacert '{file}' cannot be used: {e.Message}");
        }
    }

    private OutputOptions Output()
    {
        var save = !typed.GetValue(declared.NoSave);
        var file = Get(declared.Output);
        return save || file is null
            ? new OutputOptions
            {
                File = file,
                Label = Get(declared.Label) ?? "",
                Save = save && !(typed.GetValue(declared.Crank) && file is null),
                Format = Get(declared.Format),
                Crank = typed.GetValue(declared.Crank),
            }
            : throw new UsageException("-o names a results file and --no-save wants none: give one of them");
    }

    private IReadOnlyList<Address> Addresses()
    {
        var addresses = (typed.GetValue(declared.Url) ?? []).Select(ParseAddress).ToList();
        return addresses.Distinct().Count() == addresses.Count ? addresses : throw new UsageException("-U names the same server twice");
    }

    private IReadOnlyList<Watch> Watches()
    {
        var watches = (typed.GetValue(declared.Watch) ?? []).Select(ParseWatch).ToList();
        return watches.DistinctBy(watch => watch.Name).Count() == watches.Count ? watches : throw new UsageException("--watch gives the same name twice");
    }

    private static Watch ParseWatch(string text)
    {
        if (text.Split('=', 2) is not [{ Length: > 0 } name, var where])
            throw new UsageException($"--watch '{UrlText.WithoutSecrets(text)}' is not NAME=ADDRESS, e.g. --watch app=http://127.0.0.1:8000");
        return Address.TryParse(where, out var address, out var error) ? new Watch(name, address) : throw new UsageException($"--watch {name}: {error}");
    }

    private static Address ParseAddress(string text)
    {
        if (!Address.TryParse(text, out var address, out var error))
            throw new UsageException("-U: " + error);
        return address is Address.Tcp { Port: 0 } or Address.Tls { Port: 0 } ? throw new UsageException($"-U '{UrlText.WithoutSecrets(text)}' needs a port to connect to") : address;
    }

    /// <summary>Without a value it has none, and another word than both belongs to what follows: see <see cref="HttpOptionsReader"/>.</summary>
    private IReadOnlyList<bool> PerCall() => typed.GetResult(declared.ConnectPerCall) is null or { Implicit: true }
        ? [false]
        : Get(declared.ConnectPerCall) switch
        {
            "both" => [false, true],
            null => [true],
            var other when given is null => throw new UsageException($"--connect-per-call '{other}' is not both: write it alone, or both"),
            _ => [true],
        };

    private static long Calls(string text) =>
        Parsers.Count(text, "-n") is > 0 and var calls ? calls : throw new UsageException("-n must be at least 1");

    private int Threads(int fewestConnections)
    {
        if (Get(declared.Threads) is not { } text)
            return Math.Min(DefaultThreads, fewestConnections);
        var threads = Integer(text, "-t", 1, 1024);
        return threads <= fewestConnections
            ? threads
            : throw new UsageException($"-t {threads} needs at least as many connections, and -c has {fewestConnections}: a connection lives on one thread");
    }

    private static string Transport(string text, string what) =>
        text is "tcp" or "tls" or "unix" or "pipe" ? text : throw new UsageException($"{what}: there is no transport '{text}': it is one of tcp, tls, unix, pipe");

    private static string ClientName(string text, string what) =>
        Catalogue.Refusal(text) is { } refusal ? throw new UsageException($"{what}: {refusal}") : text;

    private string? Choice(Option<string> option, string what, params string[] choices) => Get(option) is not { } text || choices.Contains(text)
        ? Get(option)
        : throw new UsageException($"{what} '{text}' is none of {string.Join(", ", choices)}");

    private TimeSpan Time(Option<string> option, string what, string standard, bool positive = false)
    {
        var time = Parsers.Duration(Get(option) ?? standard, what);
        return positive && time < TimeSpan.FromMilliseconds(1) ? throw new UsageException($"{what} must be at least 1ms") : time;
    }

    private IReadOnlyList<int> Integers(Option<string> option, string what, string standard, int least, int most) =>
        Parsers.List(Get(option) ?? standard, what, (text, name) => Integer(text, name, least, most));

    private static int Integer(string text, string what, int least, int most)
    {
        var value = Parsers.Count(text, what);
        return value >= least && value <= most ? (int)value : throw new UsageException($"{what} '{text}' must be between {least} and {most}");
    }

    private CpuSet? Cpus(Option<string> option, string what) => Get(option) is { } text ? Parsers.Cpus(text, what) : null;

    private string? Get(Option<string> option) => typed.GetValue(option);
}
