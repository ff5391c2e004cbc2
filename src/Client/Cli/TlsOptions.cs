using System.CommandLine;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary>The options of TLS connections. Wrong files are reported here, before a connection opens.</summary>
internal static class TlsOptions
{
    /// <exception cref="UsageException">A file is unusable, --key does not fit --cert, or --sni is no host name.</exception>
    public static ConnectorOptions Read(RunCommandOptions declared, ParseResult typed)
    {
        var (cert, key) = (typed.GetValue(declared.Cert), typed.GetValue(declared.Key));
        if (key is not null && cert is null)
            throw new UsageException("--key is the private key of --cert: add --cert, or leave out --key");
        return new ConnectorOptions
        {
            Insecure = typed.GetValue(declared.Insecure),
            Authorities = typed.GetValue(declared.CaCert) is { } authority ? Authorities(authority) : null,
            ClientCertificate = cert is null ? null : SslStreamCertificateContext.Create(Certificate(cert, key), null, offline: true),
            ServerName = typed.GetValue(declared.Sni) is { } name ? ServerName(name) : null,
        };
    }

    private static X509Certificate2Collection Authorities(string file)
    {
        var authorities = Use("--cacert", file, text =>
        {
            var read = new X509Certificate2Collection();
            read.ImportFromPem(text);
            return read;
        });
        return authorities.Count > 0 ? authorities : throw new UsageException($"--cacert '{file}' holds no certificate in PEM form");
    }

    private static X509Certificate2 Certificate(string cert, string? key)
    {
        var pem = Use("--cert", cert, text => text);
        var keyPem = key is null ? pem : Use("--key", key, text => text);
        return Use(key is null ? "--cert" : "--key", key ?? cert, _ =>
        {
            var certificate = X509Certificate2.CreateFromPem(pem, keyPem);
            // On Windows, TLS needs a stored key (dotnet/runtime issue 23749). LoadPkcs12 stores the key in a file of the user.
            // .NET deletes the file when the certificate object is disposed, so the file stays if this program is killed.
            return OperatingSystem.IsWindows()
                ? X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null)
                : certificate;
        });
    }

    private static string ServerName(string name) => Uri.CheckHostName(name) is not UriHostNameType.Unknown
        ? name
        : throw new UsageException($"--sni '{name}' is not a host name");

    private static T Use<T>(string option, string file, Func<string, T> use)
    {
        try
        {
            return use(Encoding.UTF8.GetString(WholeFile.Read(file)));
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new UsageException($"{option} '{file}' cannot be used: {e.Message}");
        }
    }
}
