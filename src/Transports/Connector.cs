namespace IpcBench.Transports;

/// <summary>Opens connections to one address.</summary>
public abstract class Connector
{
    /// <summary>Makes the connector for this kind of address.</summary>
    /// <exception cref="ArgumentException">The address is shared memory, which <see cref="Rings.RingStreamConnector"/> opens.</exception>
    public static Connector For(Address address, ConnectorOptions options) => address switch
    {
        Address.Tcp tcp => new TcpConnector(tcp, tcp.Host, tcp.Port, options),
        Address.Tls tls => new TlsConnector(new TcpConnector(tls, tls.Host, tls.Port, options), tls.Host, options),
        Address.Unix unix => new UnixConnector(unix, UnixSocketPath.Resolve(unix.Path), options),
        Address.UnixAbstract local => new UnixConnector(local, "\0" + local.Name, options),
        Address.Pipe pipe => new NamedPipeConnector(pipe.Name),
        Address.Child { Transport: not Address.Child.SharedMemory } child => new ChildConnector(child),
        _ => throw new ArgumentException($"no connector for {address}", nameof(address)),
    };

    /// <summary>
    /// How often an attempt to connect was repeated, because the accept queue was full or the pipe was busy.
    /// </summary>
    public virtual long Retries => 0;

    /// <summary>Opens one connection. The caller owns the stream.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message names the address and the cause.</exception>
    public abstract ValueTask<Stream> ConnectAsync(CancellationToken cancellation);
}
