using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Client.Cli;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks the reasons why TLS with a server fails, for both clients: the run's own and .NET's.</summary>
public sealed class TlsRefusalTests : IDisposable
{
    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("tls-");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => folder.Delete(recursive: true);

    [Fact]
    public async Task The_error_says_that_a_server_has_no_TLS()
    {
        await using var server = new FakeServer("tcp");
        var address = new Address.Tls("127.0.0.1", ((Address.Tcp)server.Address).Port);
        Assert.Equal("the server does not speak TLS", await ReasonAsync(address, new()));
    }

    [Fact]
    public async Task The_error_of_a_rejected_certificate_says_what_to_do()
    {
        using var server = new TlsServer(folder.FullName, SslApplicationProtocol.Http2);
        var authorities = new X509Certificate2Collection();
        authorities.ImportFromPemFile(Path.Combine(folder.FullName, "ca.pem"));
        var reason = await ReasonAsync(
            server.Address, new() { ServerName = "another.example", Authorities = authorities });
        Assert.Matches("RemoteCertificateNameMismatch", reason);
        Assert.EndsWith(" (--insecure accepts any certificate, --cacert FILE the certificates of one authority)", reason);
    }

    [Fact]
    public async Task The_files_of_certificates_are_not_read_again_for_each_connection()
    {
        using var server = new TlsServer(folder.FullName, SslApplicationProtocol.Http2);
        string File(string name) => Path.Combine(folder.FullName, name);
        var options = Typed.Read(Preset.Main, "-U", $"{server.Address}", "--sni", Authority.Name,
            "--cacert", File("ca.pem"), "--cert", File("server.pem"), "--key", File("server.key")).Connector;
        foreach (var file in folder.GetFiles())
            file.Delete();
        for (var i = 0; i < 2; i++)
            await (await Connector.For(server.Address, options).ConnectAsync(Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task The_error_of_another_protocol_shows_no_inner_exception()
    {
        using var server = new TlsServer(folder.FullName, SslApplicationProtocol.Http11);
        Assert.DoesNotContain("see inner", await ReasonAsync(server.Address, new()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_error_of_plaintext_to_a_TLS_server_suggests_https()
    {
        using var server = new TlsServer(folder.FullName, SslApplicationProtocol.Http2);
        Assert.EndsWith(" (a TLS server also ends a plaintext connection like this: try https://)",
            await CallAsync(new Address.Tcp("127.0.0.1", server.Address.Port), new()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_error_of_a_missing_TLS_server_names_the_given_address()
    {
        var address = new Address.Tls("127.0.0.1", 1);
        Assert.Equal("cannot connect to https://127.0.0.1:1: Connection refused", await CallAsync(address, new()));
    }

    // Returns the reason, which must be the same for both clients.
    private static async Task<string> ReasonAsync(Address.Tls address, ConnectorOptions options)
    {
        var connecting = await Assert.ThrowsAsync<IOException>(async () => await Connector.For(address, options).ConnectAsync(Cancel));
        var reason = await CallAsync(address, options);
        Assert.Equal($"no TLS with {address.Host}: {reason}", connecting.Message);
        return reason;
    }

    private static async Task<string> CallAsync(Address address, ConnectorOptions options)
    {
        using var caller = new GrpcCaller(address, options) { Patience = TestLoad.Patience };
        var told = await Assert.ThrowsAsync<IOException>(() => caller.CallAsync("/a.B/C", new byte[1], Cancel));
        Assert.StartsWith($"{address} does not answer: ", told.Message, StringComparison.Ordinal);
        return told.Message[$"{address} does not answer: ".Length..];
    }

    /// <summary>Makes the TLS handshake for one protocol and sends nothing.</summary>
    private sealed class TlsServer : IDisposable
    {
        private readonly TcpListener listener = new(IPAddress.Loopback, 0);
        private readonly X509Certificate2 certificate;

        public TlsServer(string folder, SslApplicationProtocol protocol)
        {
            using (var authority = new Authority(folder))
                authority.Issue("server");
            using var pem = X509Certificate2.CreateFromPemFile(Path.Combine(folder, "server.pem"), Path.Combine(folder, "server.key"));
            certificate = X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pfx), null);
            listener.Start();
            _ = AcceptAsync(protocol);
        }

        public Address.Tls Address => new("127.0.0.1", ((IPEndPoint)listener.LocalEndpoint).Port);

        public void Dispose()
        {
            listener.Dispose();
            certificate.Dispose();
        }

        private async Task AcceptAsync(SslApplicationProtocol protocol)
        {
            try
            {
                while (true)
                    await ShakeHandsAsync(await listener.AcceptSocketAsync(), protocol);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                // The test is over.
            }
        }

        private async Task ShakeHandsAsync(Socket socket, SslApplicationProtocol protocol)
        {
            try
            {
                await using var tls = new SslStream(new NetworkStream(socket, ownsSocket: true));
                await tls.AuthenticateAsServerAsync(
                    new SslServerAuthenticationOptions { ServerCertificate = certificate, ApplicationProtocols = [protocol] });
                _ = await tls.ReadAsync(new byte[1]);
            }
            catch (Exception e) when (e is IOException or AuthenticationException)
            {
                // The client has gone.
            }
        }
    }
}
