namespace IpcBench.Transports;

/// <summary>Opens connections to one address.</summary>
public abstract class Connector
{
    /// <summary>The connector that the address calls for.</summary>
    /// <exception cref="PlatformNotSupportedException">This system does not have the transport.</exception>
    public static Connector For(Address address, ConnectorOptions options) => address switch
    {
        Address.Tcp tcp => new TcpConnector(tcp.Host, tcp.Port, options),
        Address.Tls tls => new TlsConnector(new TcpConnector(tls.Host, tls.Port, options), tls.Host, options),
        Address.Unix unix => new UnixConnector(UnixSocketPath.Resolve(unix.Path), options),
        Address.UnixAbstract local => new UnixConnector("\0" + local.Name, options),
        Address.Pipe pipe => new NamedPipeConnector(pipe.Name),
        _ => throw new ArgumentException($"no connector for {address}", nameof(address)),
    };

    /// <summary>Connects tried again because the accept queue was full.</summary>
    public virtual long Retries => 0;

    /// <summary>Opens one connection. The caller owns the stream.</summary>
    /// <exception cref="IOException">It could not be opened; the message says what was tried and why not.</exception>
    public abstract ValueTask<Stream> ConnectAsync(CancellationToken cancellation);
}
