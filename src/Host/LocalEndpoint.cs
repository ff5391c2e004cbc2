using System.Net;

namespace IpcBench.Host;

/// <summary>An address of this machine at which a process listens, in the form that the operating system uses.</summary>
public abstract record LocalEndpoint
{
    /// <param name="Ip">The IP address. Null for a host name, for which <see cref="ListenerOwner"/> takes any loopback address.</param>
    public sealed record TcpPort(int Port, IPAddress? Ip = null) : LocalEndpoint;

    /// <param name="Name">The path. An abstract name starts with a NUL byte (unix(7)).</param>
    public sealed record UnixName(string Name) : LocalEndpoint;

    /// <param name="Name">The name without <c>\\.\pipe\</c>.</param>
    public sealed record WindowsPipe(string Name) : LocalEndpoint;
}
