using System.IO.Pipes;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace IpcBench.Transports.Tests;

/// <summary>Echoes the bytes of every connection of one transport, and closes a connection after the other side closed.</summary>
internal sealed class EchoServer : IAsyncDisposable
{
    private readonly CancellationTokenSource stop = new();
    private readonly List<IDisposable> owned = [];
    private readonly Func<CancellationToken, Task<Stream>> accept;
    private readonly Task running;

    private EchoServer(Address address, Func<CancellationToken, Task<Stream>> accept, params IDisposable[] owned)
    {
        (Address, this.accept) = (address, accept);
        this.owned.AddRange(owned);
        running = RunAsync();
    }

    public Address Address { get; }

    public static EchoServer Start(string kind)
    {
        var name = "ipcbench-" + Guid.NewGuid().ToString("N");
        switch (kind)
        {
            case "tcp" or "tls":
                var tcp = Listen(AddressFamily.InterNetwork, new IPEndPoint(IPAddress.Loopback, 0));
                var port = ((IPEndPoint)tcp.LocalEndPoint!).Port;
                return kind == "tcp"
                    ? new(new Address.Tcp("127.0.0.1", port), stop => AcceptAsync(tcp, stop), tcp)
                    : new(new Address.Tls("localhost", port), async stop => await SecureAsync(await AcceptAsync(tcp, stop)), tcp);
            case "unix":
                var path = Path.Combine(Path.GetTempPath(), name + ".sock");
                var unix = Listen(AddressFamily.Unix, new UnixDomainSocketEndPoint(path));
                return new(new Address.Unix(path), stop => AcceptAsync(unix, stop), unix);
            case "unix-abstract":
                var hidden = Listen(AddressFamily.Unix, new UnixDomainSocketEndPoint("\0" + name));
                return new(new Address.UnixAbstract(name), stop => AcceptAsync(hidden, stop), hidden);
            default:
                var next = OpenPipe(name);
                return new(new Address.Pipe(name), async stop =>
                {
                    var pipe = next;
                    await pipe.WaitForConnectionAsync(stop);
                    next = OpenPipe(name); // one pipe always listens: .NET ends the waiting connections with the last pipe
                    return pipe;
                }, new Last(() => next));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        await running.WaitAsync(TimeSpan.FromSeconds(60));
        owned.ForEach(item => item.Dispose());
        if (Address is Address.Unix unix)
            File.Delete(unix.Path);
        stop.Dispose();
    }

    private static Socket Listen(AddressFamily family, EndPoint endPoint)
    {
        var socket = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(endPoint);
        socket.Listen(16);
        return socket;
    }

    // A test may leave this process without descriptors when the server begins to wait for the next connection. accept(2) then
    // fails at once, although no connection has come.
    private static async Task<Stream> AcceptAsync(Socket listener, CancellationToken stop)
    {
        while (true)
        {
            try
            {
                return new NetworkStream(await listener.AcceptAsync(stop), ownsSocket: true);
            }
            catch (SocketException e) when (e.SocketErrorCode == SocketError.TooManyOpenSockets)
            {
                await Task.Delay(1, stop);
            }
        }
    }

    private static NamedPipeServerStream OpenPipe(string name) =>
        new(name, PipeDirection.InOut, NamedPipeServerStream.MaxAllowedServerInstances, PipeTransmissionMode.Byte,
            PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);

    private static async Task<Stream> SecureAsync(Stream inner)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        var usable = X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pfx), null);
        var tls = new SslStream(inner);
        await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = usable,
            ApplicationProtocols = [SslApplicationProtocol.Http2],
        });
        return tls;
    }

    private async Task RunAsync()
    {
        var echoes = new List<Task>();
        try
        {
            while (true)
                echoes.Add(EchoAsync(await accept(stop.Token)));
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            await Task.WhenAll(echoes);
        }
    }

    private async Task EchoAsync(Stream stream)
    {
        await using (stream)
        {
            var buffer = new byte[32 * 1024];
            try
            {
                for (var count = await stream.ReadAsync(buffer, stop.Token); count > 0; count = await stream.ReadAsync(buffer, stop.Token))
                    await stream.WriteAsync(buffer.AsMemory(0, count), stop.Token);
            }
            catch (Exception e) when (e is IOException or OperationCanceledException)
            {
                // The other side has gone, or the test is over.
            }
        }
    }

    private sealed class Last(Func<IDisposable> one) : IDisposable
    {
        public void Dispose() => one().Dispose();
    }
}
