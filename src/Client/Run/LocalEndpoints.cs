using System.Net;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Converts addresses into the form of the system's list of listening sockets.</summary>
internal static class LocalEndpoints
{
    public static LocalEndpoint From(Address address) => address switch
    {
        Address.Tcp tcp => new LocalEndpoint.TcpPort(tcp.Port, Ip(tcp.Host)),
        Address.Tls tls => new LocalEndpoint.TcpPort(tls.Port, Ip(tls.Host)),
        // On Linux the path stays as it was typed, since the kernel lists a socket by the name to which its server bound it.
        { SocketFile: { } file } => new LocalEndpoint.UnixName(OperatingSystem.IsWindows() ? UnixSocketPath.Resolve(file) : file),
        Address.UnixAbstract unix => new LocalEndpoint.UnixName("\0" + unix.Name),
        Address.Pipe pipe => new LocalEndpoint.WindowsPipe(pipe.Name),
        _ => throw new ArgumentException($"no listening socket: {address}", nameof(address)),
    };

    // Null for a host name, since a host name may have several addresses.
    private static IPAddress? Ip(string host) => IPAddress.TryParse(host, out var ip) ? ip : null;
}
