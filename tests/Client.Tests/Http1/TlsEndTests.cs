using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Http1;

/// <summary>Checks a body over TLS that ends with the connection. It is complete only if the server has sent close_notify.</summary>
public sealed class TlsEndTests : IDisposable
{
    private readonly TcpListener listener = new(IPAddress.Loopback, 0);
    private readonly X509Certificate2 certificate = Certificate();
    private int accepted;

    public TlsEndTests()
    {
        listener.Start();
        _ = AcceptAsync();
    }

    public void Dispose()
    {
        listener.Dispose();
        certificate.Dispose();
    }

    [Fact]
    public async Task A_body_without_a_length_is_complete_only_with_close_notify()
    {
        var options = HttpCallTests.Options(new Address.Tls("localhost", ((IPEndPoint)listener.LocalEndpoint).Port), connections: 2);
        var result = await TestLoad.MeasureAsync(options, new LoadWindow { Calls = 20 });
        Assert.Equal((10, 10L), (result.Ok, result.Failed["connection lost"]));
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
                _ = AnswerAsync(await listener.AcceptSocketAsync());
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    // Every second connection, counted by requests, ends without close_notify.
    private async Task AnswerAsync(Socket socket)
    {
        try
        {
            await using var tls = new SslStream(new NetworkStream(socket, ownsSocket: true));
            await tls.AuthenticateAsServerAsync(certificate);
            if (await tls.ReadAsync(new byte[4096]) == 0)
                return;
            await tls.WriteAsync("HTTP/1.0 200 OK\r\n\r\n0123456789"u8.ToArray());
            if (Interlocked.Increment(ref accepted) % 2 == 0)
                await tls.ShutdownAsync();
            socket.Shutdown(SocketShutdown.Send);
            _ = await tls.ReadAsync(new byte[1]); // waits until the client has closed: an earlier close would be a reset
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or SocketException)
        {
            // The client has gone.
        }
    }

    private static X509Certificate2 Certificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        using var made = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null);
    }
}
