using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using IpcBench.Host;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.CalibrationServer;

/// <summary>Listens on one address and answers every connection.</summary>
internal sealed class ResponderHost : IAsyncDisposable
{
    private readonly CancellationTokenSource stop = new();
    private readonly Responders responders;
    private readonly string? file;
    private readonly Task accepting;

    private ResponderHost(Address address, Responders responders, string? file, Func<CancellationToken, Task> accept)
    {
        (Address, this.responders, this.file) = (address, responders, file);
        accepting = accept(stop.Token);
    }

    /// <summary>Where it listens, with the port that the system chose.</summary>
    public Address Address { get; }

    /// <exception cref="NotSupportedException">It listens on TCP, Unix sockets and pipes only.</exception>
    /// <exception cref="SocketException">The address cannot be listened on.</exception>
    public static ResponderHost Start(Address address, Responders responders) => address switch
    {
        Address.Tcp tcp => OnTcp(tcp, responders),
        Address.Unix unix => OnUnix(unix, unix.Path, responders),
        // Where the event loop runs, .NET's pipes are Unix sockets.
        Address.Pipe pipe when EventLoop.IsSupported => OnUnix(pipe, NamedPipeConnector.UnixSocketPath(pipe.Name), responders),
        Address.Pipe pipe => new ResponderHost(pipe, responders, null, stopping => AcceptPipesAsync(pipe.Name, responders, stopping)),
        _ => throw new NotSupportedException($"the responder does not listen on {address.Kind}"),
    };

    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        await accepting;
        stop.Dispose();
        if (file is not null)
            File.Delete(file);
    }

    private static ResponderHost OnTcp(Address.Tcp address, Responders responders)
    {
        var listener = Listen(
            new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp), new IPEndPoint(IPAddress.Loopback, address.Port));
        var port = ((IPEndPoint)listener.LocalEndPoint!).Port;
        return new ResponderHost(
            address with { Host = "127.0.0.1", Port = port }, responders, null, stopping => AcceptAsync(listener, responders, stopping));
    }

    private static ResponderHost OnUnix(Address address, string path, Responders responders)
    {
        var listener = Listen(
            new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified), new UnixDomainSocketEndPoint(path));
        return new ResponderHost(address, responders, path, stopping => AcceptAsync(listener, responders, stopping));
    }

    private static Socket Listen(Socket socket, EndPoint endPoint)
    {
        socket.Bind(endPoint);
        socket.Listen(4096);
        return socket;
    }

    private static async Task AcceptAsync(Socket listener, Responders responders, CancellationToken stopping)
    {
        using (listener)
        {
            while (!stopping.IsCancellationRequested)
            {
                try
                {
                    responders.Answer(await listener.AcceptAsync(stopping));
                }
                catch (Exception e) when (e is SocketException or OperationCanceledException)
                {
                    // A client that left before it was accepted, or the end.
                }
            }
        }
    }

    private static async Task AcceptPipesAsync(string name, Responders responders, CancellationToken stopping)
    {
        const int buffer = 64 * 1024;
        while (!stopping.IsCancellationRequested)
        {
            var pipe = new NamedPipeServerStream(name, PipeDirection.InOut, NamedPipeServerStream.MaxAllowedServerInstances,
                PipeTransmissionMode.Byte, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly, buffer, buffer);
            try
            {
                await pipe.WaitForConnectionAsync(stopping);
                responders.Answer(pipe);
            }
            catch (Exception e) when (e is IOException or OperationCanceledException)
            {
                await pipe.DisposeAsync();
            }
        }
    }
}

/// <summary>The responder as a process: the command that starts it, what it prints for its parent, and how it ends.</summary>
internal static class ResponderProcess
{
    /// <summary>The sub-command of this program.</summary>
    public const string Command = "responder";

    /// <summary>Printed once for each address, followed by it.</summary>
    public const string Listening = "responder listening on ";

    /// <summary>Printed when every address is open.</summary>
    public const string Ready = "responder ready";

    /// <summary>Answers at every address until <paramref name="input"/> ends.</summary>
    /// <exception cref="EnvironmentException">One of them cannot be listened on.</exception>
    public static async Task ServeAsync(IReadOnlyList<Address> addresses, Stream input, TextWriter output, CancellationToken cancellation)
    {
        // Ctrl-C reaches the whole group of processes; this one ends with its parent.
        using var ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        using var responders = new Responders();
        var hosts = new List<ResponderHost>();
        try
        {
            foreach (var address in addresses)
                hosts.Add(Start(address, responders));
            foreach (var host in hosts)
                await output.WriteLineAsync(Listening + host.Address);
            await output.WriteLineAsync(Ready);
            await output.FlushAsync(cancellation);
            await input.CopyToAsync(Stream.Null, cancellation);
        }
        finally
        {
            foreach (var host in hosts)
                await host.DisposeAsync();
        }
    }

    private static ResponderHost Start(Address address, Responders responders)
    {
        try
        {
            return ResponderHost.Start(address, responders);
        }
        catch (Exception e) when (e is SocketException or NotSupportedException)
        {
            throw new EnvironmentException($"cannot listen on {address}: {e.Message}", e);
        }
    }
}
