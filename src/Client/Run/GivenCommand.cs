using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Starts a user's server by a command. Placeholders in the command stand for the addresses.</summary>
/// <param name="name">The name of the server in messages, such as <c>the base server</c>.</param>
/// <param name="words">The program and its arguments, with <c>{url}</c>, <c>{address}</c>, <c>{port}</c> or <c>{path}</c>.</param>
/// <param name="cpus">The server's CPUs. Null means the CPUs on which the user started this client.</param>
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

    /// <summary>Returns the placeholders for this transport if the command has none of them, else null.</summary>
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
        var start = new ProcessStartInfo(filled[0], filled.Skip(1));
        ProcessReaper.MarkServer(start);
        return ChildProcess.Start(start, hiddenVariables, cpus, name);
    }

    /// <summary>Finds a free port. It is very unlikely that another program takes the port before the server does.</summary>
    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
