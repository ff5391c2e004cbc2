using System.Net;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>An address as the system names its listening socket.</summary>
internal static class LocalEndpoints
{
    public static LocalEndpoint Of(Address address) => address switch
    {
        Address.Tcp tcp => new LocalEndpoint.Tcp(tcp.Port, Ip(tcp.Host)),
        Address.Tls tls => new LocalEndpoint.Tcp(tls.Port, Ip(tls.Host)),
        Address.Unix unix => new LocalEndpoint.Unix(unix.Path),
        Address.UnixAbstract unix => new LocalEndpoint.Unix("\0" + unix.Name),
        Address.Pipe pipe when OperatingSystem.IsWindows() => new LocalEndpoint.Pipe(pipe.Name),
        Address.Pipe pipe => new LocalEndpoint.Unix(NamedPipeConnector.UnixSocketPath(pipe.Name)),
        _ => throw new ArgumentException($"no listening socket: {address}", nameof(address)),
    };

    // A name may stand for several addresses.
    private static IPAddress? Ip(string host) => IPAddress.TryParse(host, out var ip) ? ip : null;
}
