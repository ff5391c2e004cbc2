using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Client.Tests.Engine.Support;

/// <summary>A certificate authority that writes ca.pem to a folder, and certificates and keys for one name.</summary>
internal sealed class Authority : IDisposable
{
    public const string Name = "greeter.example";

    private static readonly DateTimeOffset Start = DateTimeOffset.UtcNow.AddHours(-1);

    private readonly string folder;
    private readonly X509Certificate2 root;

    public Authority(string folder)
    {
        this.folder = folder;
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=authority of a test", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        root = request.CreateSelfSigned(Start, Start.AddDays(2));
        File.WriteAllText(Path.Combine(folder, "ca.pem"), root.ExportCertificatePem());
    }

    /// <summary>Writes NAME.pem and NAME.key.</summary>
    public void Issue(string file)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={file}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(Name);
        request.CertificateExtensions.Add(names.Build());
        using var certificate = request.Create(root, Start, Start.AddDays(1), RandomNumberGenerator.GetBytes(8));
        File.WriteAllText(Path.Combine(folder, file + ".pem"), certificate.ExportCertificatePem());
        File.WriteAllText(Path.Combine(folder, file + ".key"), key.ExportPkcs8PrivateKeyPem());
    }

    public void Dispose() => root.Dispose();
}
