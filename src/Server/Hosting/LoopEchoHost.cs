using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Echo;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Serves all raw echoes on one event loop and one thread, without Kestrel, pipelines or a thread pool between receive and send.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopEchoHost : IDisposable
{
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(1);

    private readonly EventLoop loop = new("echo") { LetsOthersRun = false };
    private readonly HashSet<LoopEchoConnection> connections = [];
    private readonly List<Acceptor> acceptors = [];
    private readonly AcceptGate gate;
    private readonly StallWatch watch;
    private bool disposed;

    private LoopEchoHost(AcceptGate gate)
    {
        this.gate = gate;
        watch = new StallWatch(loop, connections);
    }

    /// <param name="endpoints">Endpoints that are <see cref="ServerEndpoint.IsWithoutKestrel"/>.</param>
    public static LoopEchoHost Start(IEnumerable<ServerEndpoint> endpoints, ServerOptions options, AcceptGate gate)
    {
        var host = new LoopEchoHost(gate);
        var sockets = endpoints.SelectMany(endpoint => endpoint.Sockets.Select(bound => (endpoint, bound.Socket))).ToList();
        host.loop.Post(_ =>
        {
            foreach (var (endpoint, socket) in sockets)
                host.acceptors.Add(new Acceptor(host, endpoint, socket, options));
        }, null);
        return host;
    }

    /// <summary>Closes every connection and stops watching the listening sockets. The endpoints keep these sockets.</summary>
    public void Dispose()
    {
        if (disposed)
            return;
        disposed = true;
        using var closed = new ManualResetEventSlim();
        loop.Post(_ =>
        {
            acceptors.ForEach(acceptor => acceptor.Stop());
            foreach (var connection in connections.ToList())
                connection.End();
            closed.Set();
        }, null);
        closed.Wait(StopLimit);
        loop.Dispose();
    }

    /// <summary>Accepts connections of one listening socket.</summary>
    private sealed class Acceptor : ILoopTimer
    {
        // The most accepts in a row before open connections are served.
        private const int MostAtOnce = 64;

        // The pause after a failed accept. The usual cause is that file descriptors or memory have run out.
        private const long RetryNs = 50_000_000;

        private readonly LoopEchoHost host;
        private readonly ServerEndpoint endpoint;
        private readonly ServerOptions options;
        private readonly bool isTcp;
        private readonly LoopListener listener;
        private bool stopped;

        public Acceptor(LoopEchoHost host, ServerEndpoint endpoint, Socket socket, ServerOptions options)
        {
            (this.host, this.endpoint, this.options) = (host, endpoint, options);
            isTcp = socket.ProtocolType == ProtocolType.Tcp;
            listener = new LoopListener(host.loop, socket, OnReady);
            listener.Arm();
        }

        public void OnDue()
        {
            if (!stopped)
                OnReady();
        }

        public void Stop()
        {
            stopped = true;
            listener.Forget();
        }

        private void OnReady()
        {
            for (var accepted = 0; accepted < MostAtOnce; accepted++)
            {
                var descriptor = listener.TryAccept();
                if (descriptor == LoopSocket.WouldBlock)
                    break;
                if (descriptor < 0)
                {
                    host.gate.TellStuck(LoopSocket.Describe(descriptor));
                    host.loop.Schedule(MonotonicClock.NowNs + RetryNs, this);
                    return;
                }
                Serve(descriptor);
            }
            listener.Arm();
        }

        private void Serve(int descriptor)
        {
            if (!host.gate.TryEnter())
            {
                LoopListener.Discard(descriptor);
                return;
            }
            if (isTcp && !options.Nagle)
                LoopListener.SetNoDelay(descriptor);
            if (options.SocketBuffer is { } size)
                LoopListener.SetBuffers(descriptor, size);
            try
            {
                host.connections.Add(new LoopEchoConnection(host.loop, descriptor, Hold, host.watch.Begin, OnEnd));
                endpoint.Counters.ConnectionOpened();
            }
            catch (IOException)
            {
                // epoll refused to watch the connection, which is closed already.
                host.gate.Leave();
            }
        }

        private Func<ValueTask>? Hold => endpoint.Behavior == EndpointBehavior.None ? null : endpoint.Behavior.HoldAsync;

        private void OnEnd(LoopEchoConnection connection)
        {
            host.connections.Remove(connection);
            endpoint.Counters.ConnectionClosed();
            host.gate.Leave();
        }
    }

    /// <summary>
    /// Closes connections whose clients have not read for 30 s although bytes wait for them. Each such connection holds
    /// a buffer of the server. While a timer is set, the loop must read the clock before every wait. So the check runs,
    /// once a second, only while bytes wait.
    /// </summary>
    private sealed class StallWatch(EventLoop loop, HashSet<LoopEchoConnection> connections) : ILoopTimer
    {
        private const long SecondNs = 1_000_000_000;

        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

        private bool looks;

        public void Begin(LoopEchoConnection connection)
        {
            if (looks)
                return;
            looks = true;
            loop.Schedule(MonotonicClock.NowNs + SecondNs, this);
        }

        public void OnDue()
        {
            looks = false;
            foreach (var connection in connections.Where(connection => connection.IsStalled(Patience)).ToList())
                connection.End();
            if (connections.FirstOrDefault(connection => connection.IsWaiting) is { } waiting)
                Begin(waiting);
        }
    }
}
