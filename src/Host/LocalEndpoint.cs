using System.Net;

namespace IpcBench.Host;

/// <summary>Where a process of this machine listens, as the system names it.</summary>
public abstract record LocalEndpoint
{
    /// <param name="Port">The port.</param>
    /// <param name="Ip">Null: any address of this machine.</param>
    public sealed record Tcp(int Port, IPAddress? Ip = null) : LocalEndpoint;

    /// <param name="Name">The path; an abstract name begins with a zero (unix(7)).</param>
    public sealed record Unix(string Name) : LocalEndpoint;

    /// <summary>A named pipe of Windows.</summary>
    /// <param name="Name">Without <c>\\.\pipe\</c>.</param>
    public sealed record Pipe(string Name) : LocalEndpoint;
}
