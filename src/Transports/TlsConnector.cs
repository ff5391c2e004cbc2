using System.Net;
using System.Net.Security;
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
            throw new IOException($"no TLS with {host}: {e.Message}", e);
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

    private static bool IsLoopback(string host) =>
        host is "localhost" || (IPAddress.TryParse(host, out var ip) && IPAddress.IsLoopback(ip));
}
