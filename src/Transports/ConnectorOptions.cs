namespace IpcBench.Transports;

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

    /// <summary>Accept any TLS certificate. Implied for loopback hosts when no <see cref="CaCertificate"/> is given.</summary>
    public bool Insecure { get; init; }
}
