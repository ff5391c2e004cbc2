using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports;

/// <summary>Opens connections to one address.</summary>
public abstract class Connector
{
    /// <summary>The connector that the address calls for.</summary>
    /// <exception cref="PlatformNotSupportedException">This system does not have the transport.</exception>
    public static Connector For(Address address, ConnectorOptions options) => address switch
    {
        Address.Tcp tcp => new TcpConnector(tcp, tcp.Host, tcp.Port, options),
        Address.Tls tls => new TlsConnector(new TcpConnector(tls, tls.Host, tls.Port, options), tls.Host, options),
        Address.Unix unix => new UnixConnector(unix, UnixSocketPath.Resolve(unix.Path), options),
        Address.UnixAbstract local => new UnixConnector(local, "\0" + local.Name, options),
        Address.Pipe pipe => new NamedPipeConnector(pipe.Name),
        _ => throw new ArgumentException($"no connector for {address}", nameof(address)),
    };

    /// <summary>Connects tried again because the accept queue was full.</summary>
    public virtual long Retries => 0;

    /// <summary>Opens one connection. The caller owns the stream.</summary>
    /// <exception cref="IOException">It could not be opened; the message says what was tried and why not.</exception>
    public abstract ValueTask<Stream> ConnectAsync(CancellationToken cancellation);
}

/// <summary>What a connector may vary; the defaults are what the results assume unless they say otherwise.</summary>
public sealed record ConnectorOptions
{
    /// <summary>TCP_NODELAY on TCP and TLS. False lets Nagle's algorithm hold small writes back.</summary>
    public bool NoDelay { get; init; } = true;

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes; null leaves the system's choice (and, on TCP, its growth).</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>Closing a TCP connection resets it, so that it leaves no TIME_WAIT behind; false closes as applications do.</summary>
    public bool ResetOnClose { get; init; } = true;

    /// <summary>The protocol that a TLS connection agrees on by ALPN: <c>h2</c> or <c>http/1.1</c>.</summary>
    public string Alpn { get; init; } = "h2";

    /// <summary>A PEM file with the authority that a TLS server's certificate must descend from; null uses the system's.</summary>
    public string? CaCertificate { get; init; }

    /// <summary>Shown to a TLS server that asks who we are; null: nothing.</summary>
    public X509Certificate2? ClientCertificate { get; init; }

    /// <summary>The name that a TLS server is asked for, and that its certificate must have; null: the host of its address.</summary>
    public string? ServerName { get; init; }

    /// <summary>Accept any TLS certificate. Implied for loopback hosts when no <see cref="CaCertificate"/> is given.</summary>
    public bool Insecure { get; init; }

    /// <summary>Sets what a socket of the framework's takes before it connects; those of the event loop: LoopSocket.SetOptions.</summary>
    internal void ApplyTo(Socket socket)
    {
        if (SocketBuffer is { } size)
            (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
        if (socket.AddressFamily != AddressFamily.Unix)
            socket.NoDelay = NoDelay;
    }
}

/// <summary>Why there is no connection to an address: one wording for the framework's sockets and those of the event loop.</summary>
internal static class CannotConnect
{
    public static IOException Because(Address address, string why, Exception? inner = null) =>
        new($"cannot connect to {address}: {why}", inner);

    // .NET has no name for ENOENT on a socket and says "Cannot assign requested address".
    public static IOException NoSuchFile(Address address, Exception? inner = null) => Because(address, "there is no such file", inner);

    public static IOException PathTooLong(Address address, Exception inner) =>
        Because(address, "the path is longer than the system allows", inner);
}

/// <summary>Every local port towards that address is in use or waits out its minute (TIME_WAIT).</summary>
/// <param name="address">Where to.</param>
/// <param name="inner">What the system said.</param>
public sealed class NoLocalPortException(Address address, Exception? inner = null) : IOException(
    $"cannot connect to {address}: no local port is free, all are in use or wait out their minute (TIME_WAIT): "
    + (OperatingSystem.IsWindows() ? "wait, or widen the range (netsh int ipv4 set dynamicport tcp start=10000 num=55536)"
        : "wait, or widen net.ipv4.ip_local_port_range"),
    inner);
