using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>A way to start a server.</summary>
internal interface IServerCommand
{
    /// <summary>The addresses at which the server is asked to listen. No other program uses them.</summary>
    IReadOnlyList<Address> Addresses { get; }

    /// <summary>
    /// The address at which a successful connection shows that the server is ready. Null for a server that reports
    /// when it is ready, and that ends when its standard input is closed.
    /// </summary>
    Address? Probe { get; }

    /// <summary>The name of the server in messages.</summary>
    string Name { get; }

    /// <summary>Starts the server with redirected standard streams.</summary>
    /// <exception cref="EnvironmentException">The server cannot be started.</exception>
    Process Start();
}

/// <summary>Starts a server of this project with these endpoints and knobs, which must allow this many streams per connection.</summary>
internal sealed class ChildServerCommand(
    IReadOnlyList<Address> listen, IReadOnlyList<Address> echo, int streams, Knobs knobs, CpuSet? cpus,
    IReadOnlyDictionary<string, string?> hiddenVariables) : IServerCommand
{
    // The server's default of --max-streams.
    private const int UsualStreams = 100;

    public IReadOnlyList<Address> Addresses => [.. listen, .. echo];

    public Address? Probe => null;

    public string Name => "the server";

    /// <summary>Starts the server with redirected standard streams. The server ends when its standard input closes.</summary>
    public Process Start() => Start([]);

    /// <summary>Starts a process that serves one connection of this address. It ends when the connection is closed.</summary>
    /// <param name="socket">The end of a socketpair that the process inherits. Null for its standard input and output.</param>
    public Process StartChild(Address.Child address, int? socket) => Start(socket is { } descriptor
        ? ["--child", address.ToString(), "--child-socket", descriptor.ToString(CultureInfo.InvariantCulture)]
        : ["--child", address.ToString()]);

    private Process Start(IEnumerable<string> more)
    {
        var start = Locate(knobs.ServerBuild);
        foreach (var argument in Arguments().Concat(more))
            start.ArgumentList.Add(argument);
        if (knobs.ServerGc is { } gc)
            start.Environment["DOTNET_gcServer"] = gc == "server" ? "1" : "0";

        // This process has changed some variables of the runtime. The server gets their original values.
        foreach (var (name, original) in hiddenVariables)
            start.Environment[name] = original;
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        start.UseShellExecute = false;
        start.CreateNoWindow = true;
        return Affinity.Start(start, cpus ?? Relaunch.CpusBefore(), Name);
    }

    /// <summary>Finds the server's program. Returns how to start the program, without arguments.</summary>
    /// <param name="build"><c>jit</c> or <c>aot</c>. Null means the build of this client.</param>
    /// <exception cref="EnvironmentException">The program is missing, or cannot run.</exception>
    internal static ProcessStartInfo Locate(string? build = null)
    {
        try
        {
            return ServerLocation.StartInfo(build);
        }
        catch (FileNotFoundException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    internal IEnumerable<string> Arguments()
    {
        yield return "--owned";
        foreach (var address in listen)
        {
            yield return "--listen";
            yield return address.ToString();
        }
        foreach (var address in echo)
        {
            yield return "--echo";
            yield return address.ToString();
        }
        if (streams > UsualStreams)
        {
            yield return "--max-streams";
            yield return streams.ToString(CultureInfo.InvariantCulture);
        }
        foreach (var knob in Knob.All)
        {
            if (knob.ServerOption is not { } option || knob.Read(knobs) is not { } value)
                continue;
            yield return option;
            if (value != "on") // a switch of the server has no value
                yield return value;
        }
    }
}

/// <summary>Starts a user's server by a command. Placeholders in the command stand for the addresses.</summary>
/// <param name="name">The name of the server in messages, such as <c>the base server</c>.</param>
/// <param name="words">The program and its arguments, with <c>{url}</c>, <c>{address}</c>, <c>{port}</c> or <c>{path}</c>.</param>
/// <param name="cpus">The server's CPUs. Null means the CPUs that this client had when the user started it.</param>
/// <param name="hiddenVariables">Runtime variables that this process has changed, with their original values.</param>
internal sealed class GivenCommand(
    string name, IReadOnlyList<string> words, string kind, CpuSet? cpus, IReadOnlyDictionary<string, string?> hiddenVariables)
    : IServerCommand
{
    // The command gets both a port and a path, since a server may listen on both although only one is measured.
    private readonly int port = FreePort();
    private readonly Address.Unix socket = (Address.Unix)ChildProcess.PrivateAddress("unix");
    private readonly Address.Pipe pipe = (Address.Pipe)ChildProcess.PrivateAddress("pipe");

    public IReadOnlyList<Address> Addresses => [Probe, socket];

    public Address Probe => kind switch
    {
        "tcp" => new Address.Tcp("127.0.0.1", port),
        "tls" => new Address.Tls("127.0.0.1", port),
        "unix" => socket,
        _ => pipe,
    };

    public string Name => name;

    // The form of ASP.NET Core's --urls (BindingAddress): a Unix socket is http://unix:/path, on Windows http://unix:/C:/path.
    private string Url => Probe switch
    {
        Address.Unix unix => $"http://unix:{(unix.Path.StartsWith('/') ? "" : "/")}{unix.Path.Replace('\\', '/')}",
        Address.Pipe named => $"http://pipe:/{named.Name}",
        var other => other.ToString()!,
    };

    /// <summary>If the command has no placeholder for this transport, returns the possible ones. Returns null if it has one.</summary>
    public static string? Missing(IReadOnlyList<string> words, string kind)
    {
        string[] places = ["{url}", "{address}", kind is "tcp" or "tls" ? "{port}" : "{path}"];
        return words.Any(word => places.Any(place => word.Contains(place, StringComparison.Ordinal))) ? null
            : $"{places[0]}, {places[1]} or {places[2]}";
    }

    /// <summary>Returns the words of the command with the placeholders replaced.</summary>
    internal IEnumerable<string> Filled() => words.Select(word => word
        .Replace("{url}", Url, StringComparison.Ordinal)
        .Replace("{address}", Probe.ToString(), StringComparison.Ordinal)
        .Replace("{port}", port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
        .Replace("{path}", kind == "pipe" ? pipe.Name : socket.Path, StringComparison.Ordinal));

    public Process Start()
    {
        var filled = Filled().ToList();
        var start = new ProcessStartInfo(filled[0])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            CreateNoWindow = true,
        };
        foreach (var argument in filled.Skip(1))
            start.ArgumentList.Add(argument);
        foreach (var (variable, original) in hiddenVariables)
            start.Environment[variable] = original;
        ProcessReaper.MarkServer(start);
        return Affinity.Start(start, cpus ?? Relaunch.CpusBefore(), name);
    }

    /// <summary>Finds a free port. Another program could take it before the server does, but this is very unlikely.</summary>
    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
