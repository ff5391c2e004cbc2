using System.Net;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports;

/// <summary>TLS as a layer over another connector, with the protocol agreed by ALPN.</summary>
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

    /// <summary>How the server of that name is asked for the protocol and for proof of who it is.</summary>
    public static SslClientAuthenticationOptions Authentication(string host, ConnectorOptions options)
    {
        var authentication = new SslClientAuthenticationOptions
        {
            TargetHost = options.ServerName ?? host,
            ApplicationProtocols = [new SslApplicationProtocol(options.Alpn)],
        };
        if (options.ClientCertificate is { } certificate)
            authentication.ClientCertificateContext = SslStreamCertificateContext.Create(certificate, null, offline: true);
        if (options.CaCertificate is { } file)
        {
            authentication.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            authentication.CertificateChainPolicy.CustomTrustStore.ImportFromPemFile(file);
        }
        else if (options.Insecure || IsLoopback(host))
        {
            authentication.RemoteCertificateValidationCallback = static (_, _, _, _) => true;
        }
        return authentication;
    }

    /// <summary>Why there is no TLS, in words that say what can be done, without a full stop.</summary>
    public static string Reason(AuthenticationException failure)
    {
        var reason = failure.Message.TrimEnd('.');
        if (reason.StartsWith("The remote certificate", StringComparison.Ordinal))
            return $"{reason} (--insecure accepts any, --cacert FILE those of one authority)";
        if (reason.StartsWith("Cannot determine the frame size", StringComparison.Ordinal))
            return "what answers there does not speak TLS";
        Exception inmost = failure;
        while (inmost.InnerException is { } inner)
            inmost = inner;
        return inmost.Message.TrimEnd('.');
    }

    private static bool IsLoopback(string host) =>
        host is "localhost" || (IPAddress.TryParse(host, out var ip) && IPAddress.IsLoopback(ip));
}

/// <summary>
/// A client's TLS stream that knows how it ended. A peer in good order says close_notify (RFC 8446, 6.1); without it, anybody on the way
/// may have cut what it sent, and <see cref="SslStream"/> reads the one like the other.
/// </summary>
public sealed class TlsStream : SslStream
{
    private readonly IEndNoted below;

    /// <param name="inner">The connection below, which this stream owns.</param>
    public TlsStream(Stream inner)
        : this(inner as IEndNoted ?? new EndNotedStream(inner))
    {
    }

    private TlsStream(IEndNoted below)
        : base((Stream)below) => this.below = below;

    /// <summary>After a read of 0 bytes: the connection below ended before the peer had said that it would.</summary>
    public bool IsCut => below.HasEnded;

    /// <summary>Any stream, with its end noted.</summary>
    private sealed class EndNotedStream(Stream inner) : ConnectionStream, IEndNoted
    {
        public bool HasEnded { get; private set; }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var count = await inner.ReadAsync(buffer, cancellationToken);
            HasEnded |= count == 0 && !buffer.IsEmpty; // SslStream waits with empty buffers
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

/// <summary>A stream that tells whether the other side has ended it.</summary>
public interface IEndNoted
{
    /// <summary>A read has found the end.</summary>
    bool HasEnded { get; }
}
