using System.Buffers;
using System.Net.Sockets;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Serves raw echoes over System.Net.Sockets as a program without Kestrel would: a task for each connection, which awaits what comes and
/// sends it back. What this takes beyond an event loop is .NET's sockets' and thread pool's; what Kestrel takes beyond this is Kestrel's.
/// </summary>
internal sealed class BareEchoHost : IDisposable
{
    // What may wait for one client at a time, beside the system's own buffers.
    private const int MostAtOnce = 64 << 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // How long to wait after an accept failed for want of a descriptor or of memory.
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(50);

    private readonly CancellationTokenSource stopping = new();
    private readonly ServerOptions options;
    private readonly AcceptGate gate;

    private BareEchoHost(ServerOptions options, AcceptGate gate) => (this.options, this.gate) = (options, gate);

    /// <summary>Serves from now on.</summary>
    /// <param name="endpoints">Those that are <see cref="ServerEndpoint.IsWithoutKestrel"/>.</param>
    /// <param name="options">What to set on accepted sockets.</param>
    /// <param name="gate">How many connections there may be.</param>
    public static BareEchoHost Start(IEnumerable<ServerEndpoint> endpoints, ServerOptions options, AcceptGate gate)
    {
        var host = new BareEchoHost(options, gate);
        foreach (var endpoint in endpoints)
        {
            foreach (var bound in endpoint.Sockets)
                _ = host.AcceptAsync(endpoint, bound.Socket);
        }
        return host;
    }

    /// <summary>Closes every connection; the listening sockets stay their endpoints'.</summary>
    public void Dispose() => stopping.Cancel();

    private async Task AcceptAsync(ServerEndpoint endpoint, Socket listener)
    {
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                var accepted = await listener.AcceptAsync(stopping.Token);
                if (gate.TryEnter())
                    _ = ServeAsync(endpoint, accepted);
                else
                    accepted.Dispose();
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                await Task.Delay(Retry);
            }
        }
    }

    private async Task ServeAsync(ServerEndpoint endpoint, Socket socket)
    {
        endpoint.Counters.ConnectionOpened();
        var buffer = ArrayPool<byte>.Shared.Rent(MostAtOnce);
        try
        {
            using (socket)
            {
                if (socket.ProtocolType == ProtocolType.Tcp)
                    socket.NoDelay = !options.Nagle;
                if (options.SocketBuffer is { } size)
                    (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
                await ReturnAllAsync(socket, buffer.AsMemory(0, MostAtOnce), endpoint.Behavior);
            }
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The client went away in the middle, reads nothing, or the server stops: that is how these connections end.
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
            endpoint.Counters.ConnectionClosed();
            gate.Closed();
        }
    }

    private async Task ReturnAllAsync(Socket socket, Memory<byte> buffer, EndpointBehavior behavior)
    {
        using var stall = CancellationTokenSource.CreateLinkedTokenSource(stopping.Token);
        int count;
        while ((count = await socket.ReceiveAsync(buffer, SocketFlags.None, stopping.Token)) > 0)
        {
            if (behavior != EndpointBehavior.None)
                await behavior.HoldAsync();
            for (var rest = buffer[..count]; rest.Length > 0;)
            {
                var send = socket.SendAsync(rest, SocketFlags.None, stall.Token);
                rest = rest[(send.IsCompletedSuccessfully ? send.Result : await PatientlyAsync(send, stall))..];
            }
        }
    }

    /// <summary>A client that reads nothing for a while although bytes wait for it is given up.</summary>
    private static async ValueTask<int> PatientlyAsync(ValueTask<int> send, CancellationTokenSource stall)
    {
        stall.CancelAfter(Patience);
        var sent = await send;
        stall.CancelAfter(Timeout.InfiniteTimeSpan);
        return sent;
    }
}
