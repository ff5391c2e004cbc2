using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Server.Endpoints;

/// <summary>The certificate of a TLS endpoint: made at start, signed by itself, kept in memory only.</summary>
internal static class SelfSigned
{
    /// <summary>A certificate for this machine's loopback names and <paramref name="host"/>, valid for a year.</summary>
    /// <exception cref="NoCertificateException">The system's cryptography does not make one.</exception>
    public static X509Certificate2 Create(string host)
    {
        try
        {
            using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            var request = new CertificateRequest("CN=GrpcBench self-signed", key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(Names(host));
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
            request.CertificateExtensions.Add(
                new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1", "server authentication")], critical: false));
            var now = DateTimeOffset.UtcNow;
            using var made = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(365));
            // Windows refuses to serve with a key that was never in a store or a file; this round trip gives it one.
            return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null);
        }
        catch (Exception e)
            when (e is CryptographicException or PlatformNotSupportedException or TypeInitializationException or DllNotFoundException)
        {
            throw new NoCertificateException(e.Message, e);
        }
    }

    private static X509Extension Names(string host)
    {
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        names.AddIpAddress(IPAddress.IPv6Loopback);
        if (IPAddress.TryParse(host, out var ip))
            names.AddIpAddress(ip);
        else if (!host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            names.AddDnsName(host);
        return names.Build();
    }
}

/// <summary>This system makes no certificate, so <c>https:</c> cannot be served; everything else can.</summary>
internal sealed class NoCertificateException(string message, Exception inner) : Exception(message, inner);
