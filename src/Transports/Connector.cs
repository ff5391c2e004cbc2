using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports;

/// <summary>Opens connections to one address.</summary>
public abstract class Connector
{
    /// <summary>Makes the connector for this kind of address.</summary>
    /// <exception cref="PlatformNotSupportedException">This system does not have the transport.</exception>
    public static Connector For(Address address, ConnectorOptions options) => address switch
    {
        Address.Tcp tcp => new TcpConnector(tcp, tcp.Host, tcp.Port, options),
        Address.Tls tls => new TlsConnector(new TcpConnector(tls, tls.Host, tls.Port, options), tls.Host, options),
        Address.Unix unix => new UnixConnector(unix, UnixSocketPath.Resolve(unix.Path), options),
        Address.UnixAbstract local => new UnixConnector(local, "\0" + local.Name, options),
        Address.Pipe pipe => new NamedPipeConnector(pipe.Name),
        Address.Child child => new ChildConnector(child),
        _ => throw new ArgumentException($"no connector for {address}", nameof(address)),
    };

    /// <summary>How often a connect was tried again because the accept queue was full.</summary>
    public virtual long Retries => 0;

    /// <summary>Opens one connection. The caller owns the stream.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message names the address and the cause.</exception>
    public abstract ValueTask<Stream> ConnectAsync(CancellationToken cancellation);
}

/// <summary>Options of a connection. Every result was measured with the defaults unless the result says otherwise.</summary>
public sealed record ConnectorOptions
{
    /// <summary>TCP_NODELAY on TCP and TLS. False lets Nagle's algorithm hold small writes back.</summary>
    public bool NoDelay { get; init; } = true;

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes. Null leaves the system's default (and TCP's automatic growth).</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>
    /// Whether a close resets a TCP connection, so that no TIME_WAIT is left. False closes with FIN, as applications do.
    /// </summary>
    public bool ResetOnClose { get; init; } = true;

    /// <summary>The protocol that a TLS connection agrees on by ALPN: <c>h2</c> or <c>http/1.1</c>.</summary>
    public string Alpn { get; init; } = "h2";

    /// <summary>
    /// A PEM file with the authority that must have signed a TLS server's certificate. Null uses the system's authorities.
    /// </summary>
    public string? CaCertificate { get; init; }

    /// <summary>The certificate for a TLS server that asks for one. Null sends none.</summary>
    public X509Certificate2? ClientCertificate { get; init; }

    /// <summary>The server name in the TLS handshake, which the certificate must match. Null uses the host of the address.</summary>
    public string? ServerName { get; init; }

    /// <summary>
    /// Whether to accept any TLS certificate. Without a <see cref="CaCertificate"/>, any certificate of a loopback
    /// host is accepted in any case.
    /// </summary>
    public bool Insecure { get; init; }

    /// <summary>
    /// Sets the options of a .NET socket before it connects. For the event loop, <c>LoopConnectAttempt.SetOptions</c> sets them.
    /// </summary>
    internal void ApplyTo(Socket socket)
    {
        if (SocketBuffer is { } size)
            (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
        if (socket.AddressFamily != AddressFamily.Unix)
            socket.NoDelay = NoDelay;
    }
}

/// <summary>Makes the errors of a failed connect, worded the same for .NET's sockets and the event loop.</summary>
internal static class CannotConnect
{
    public static IOException Because(Address address, string why, Exception? inner = null) =>
        new($"cannot connect to {address}: {why}", inner);

    // .NET has no SocketError for ENOENT, and would say "Cannot assign requested address".
    public static IOException NoSuchFile(Address address, Exception? inner = null) => Because(address, "there is no such file", inner);

    public static IOException PathTooLong(Address address, Exception inner) =>
        Because(address, "the path is longer than the system allows", inner);
}

/// <summary>Reports that every local port for an address is in use or in TIME_WAIT, which lasts a minute.</summary>
public sealed class NoLocalPortException(Address address, Exception? inner = null) : IOException(
    $"cannot connect to {address}: no local port is free, because all are in use or in TIME_WAIT, which lasts a minute: "
    + (OperatingSystem.IsWindows() ? "wait, or widen the range of local ports (netsh int ipv4 set dynamicport tcp start=10000 num=55536)"
        : "wait, or widen net.ipv4.ip_local_port_range"),
    inner);
