using System.Net;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports;

/// <summary>TLS over another connector, with the protocol chosen by ALPN.</summary>
public sealed class TlsConnector(Connector inner, string host, ConnectorOptions options) : Connector
{
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var tls = new TlsStream(await inner.ConnectAsync(cancellation));
        try
        {
            await tls.AuthenticateAsClientAsync(Authentication(host, options), cancellation);
            return tls;
        }
        catch (AuthenticationException e)
        {
            await tls.DisposeAsync();
            throw new IOException($"no TLS with {host}: {Reason(e)}", e);
        }
        catch
        {
            await tls.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Makes the options of the TLS handshake with this host: the protocol, and how the host's certificate is checked.
    /// </summary>
    public static SslClientAuthenticationOptions Authentication(string host, ConnectorOptions options)
    {
        var authentication = new SslClientAuthenticationOptions
        {
            TargetHost = options.ServerName ?? host,
            ApplicationProtocols = [new SslApplicationProtocol(options.Alpn)],
            ClientCertificateContext = options.ClientCertificate,
        };
        if (options.Authorities is { } authorities)
        {
            authentication.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            authentication.CertificateChainPolicy.CustomTrustStore.AddRange(authorities);
        }
        else if (options.Insecure || IsLoopback(host))
        {
            authentication.RemoteCertificateValidationCallback = static (_, _, _, _) => true;
        }
        return authentication;
    }

    /// <summary>
    /// Returns why the handshake failed, and for a rejected certificate also what the user can do. The text has no full
    /// stop at its end.
    /// </summary>
    public static string Reason(AuthenticationException failure)
    {
        var reason = failure.Message.TrimEnd('.');
        if (reason.StartsWith("The remote certificate", StringComparison.Ordinal))
            return $"{reason} (--insecure accepts any certificate, --cacert FILE the certificates of one authority)";
        if (reason.StartsWith("Cannot determine the frame size", StringComparison.Ordinal))
            return "the server does not speak TLS";
        Exception inmost = failure;
        while (inmost.InnerException is { } inner)
            inmost = inner;
        return inmost.Message.TrimEnd('.');
    }

    private static bool IsLoopback(string host) =>
        host is "localhost" || (IPAddress.TryParse(host, out var ip) && IPAddress.IsLoopback(ip));
}

/// <summary>
/// A client's TLS stream that knows how the connection ended. A peer ends a TLS connection with close_notify (RFC 8446,
/// 6.1). If close_notify is missing, an attacker may have cut the data short. <see cref="SslStream"/> does not
/// distinguish the two ways to end.
/// </summary>
public sealed class TlsStream : SslStream
{
    private readonly IEndNoted below;

    /// <param name="inner">The connection below TLS, which this stream owns.</param>
    public TlsStream(Stream inner)
        : this(inner as IEndNoted ?? new EndNotedStream(inner))
    {
    }

    private TlsStream(IEndNoted below)
        : base((Stream)below) => this.below = below;

    /// <summary>Whether the connection ended without close_notify. Valid after a read of 0 bytes.</summary>
    public bool IsCut => below.HasEnded;

    /// <summary>A stream that adds <see cref="HasEnded"/> to any stream.</summary>
    private sealed class EndNotedStream(Stream inner) : ConnectionStream, IEndNoted
    {
        public bool HasEnded { get; private set; }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var count = await inner.ReadAsync(buffer, cancellationToken);
            HasEnded |= count == 0 && !buffer.IsEmpty; // SslStream also reads with an empty buffer, only to wait for bytes
            return count;
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            inner.WriteAsync(buffer, cancellationToken);

        public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

        public override void Flush() => inner.Flush();

        public override int Read(byte[] buffer, int offset, int count)
        {
            var read = inner.Read(buffer, offset, count);
            HasEnded |= read == 0 && count > 0;
            return read;
        }

        public override void Write(byte[] buffer, int offset, int count) => inner.Write(buffer, offset, count);

        public override ValueTask DisposeAsync() => inner.DisposeAsync();

        protected override void Dispose(bool disposing)
        {
            if (disposing)
                inner.Dispose();
            base.Dispose(disposing);
        }
    }
}

/// <summary>A stream that knows whether the other side has ended the connection.</summary>
public interface IEndNoted
{
    /// <summary>Whether a read has found the end of the connection.</summary>
    bool HasEnded { get; }
}
