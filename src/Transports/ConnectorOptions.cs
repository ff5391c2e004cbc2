using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports;

/// <summary>Options of a connection. Every result was measured with the defaults unless the result says otherwise.</summary>
public sealed record ConnectorOptions
{
    /// <summary>TCP_NODELAY on TCP and TLS. False lets Nagle's algorithm hold small writes back.</summary>
    public bool NoDelay { get; init; } = true;

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes. Null leaves the system's default (and TCP's automatic growth).</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>How both ends of shared memory wait.</summary>
    public RingWait Wait { get; init; } = RingWait.Default;

    /// <summary>
    /// Whether a close resets a TCP connection, so that no TIME_WAIT is left. False closes with FIN, as applications do.
    /// </summary>
    public bool ResetOnClose { get; init; } = true;

    /// <summary>The protocol that a TLS connection offers by ALPN: <c>h2</c> or <c>http/1.1</c>.</summary>
    public string Alpn { get; init; } = "h2";

    /// <summary>
    /// The authorities of which one must have signed a TLS server's certificate. Null uses the system's authorities.
    /// </summary>
    public X509Certificate2Collection? Authorities { get; init; }

    /// <summary>
    /// The client's certificate, for a TLS server that asks for a certificate. Null sends no certificate.
    /// </summary>
    public SslStreamCertificateContext? ClientCertificate { get; init; }

    /// <summary>The server name in the TLS handshake, which the certificate must match. Null uses the host of the address.</summary>
    public string? ServerName { get; init; }

    /// <summary>
    /// Whether to accept any TLS certificate. Has no effect with <see cref="Authorities"/>. Without
    /// <see cref="Authorities"/>, a loopback host may have any certificate even if this property is false.
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
