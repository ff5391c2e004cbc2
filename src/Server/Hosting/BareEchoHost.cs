using System.Buffers;
using System.Net.Sockets;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Serves raw echoes over System.Net.Sockets without Kestrel. Each connection has one task, which awaits bytes and sends
/// them back. Compared with an event loop, this host shows the cost of .NET's sockets and thread pool. Compared with
/// Kestrel, it shows Kestrel's own cost.
/// </summary>
internal sealed class BareEchoHost : IDisposable
{
    // The most bytes that may wait for one client, besides the system's own buffers.
    private const int MostAtOnce = 64 << 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // The pause after a failed accept. The usual cause is that file descriptors or memory have run out.
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(50);

    private readonly CancellationTokenSource stopping = new();
    private readonly ServerOptions options;
    private readonly AcceptGate gate;

    private BareEchoHost(ServerOptions options, AcceptGate gate) => (this.options, this.gate) = (options, gate);

    /// <param name="endpoints">Endpoints that are <see cref="ServerEndpoint.IsWithoutKestrel"/>.</param>
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

    /// <summary>Closes every connection. The endpoints keep their listening sockets.</summary>
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
            catch (SocketException e)
            {
                gate.TellStuck(e.Message);
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
            // An echo connection usually ends in one of these ways: the client closes it or does not read, or the
            // server stops.
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
            endpoint.Counters.ConnectionClosed();
            gate.Leave();
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

    /// <summary>Waits for the end of a send. Cancels the send when the client does not read for 30 s.</summary>
    private static async ValueTask<int> PatientlyAsync(ValueTask<int> send, CancellationTokenSource stall)
    {
        stall.CancelAfter(Patience);
        var sent = await send;
        stall.CancelAfter(Timeout.InfiniteTimeSpan);
        return sent;
    }
}
