using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Server.Echo;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Faults;
using IpcBench.Server.Options;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Serves every raw echo from one event loop, one thread: no Kestrel, no pipelines, no thread pool between a packet's arrival and its return.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopEchoHost : IDisposable
{
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(1);

    private readonly EventLoop _loop = new("echo") { LetsOthersRun = false };
    private readonly HashSet<LoopEchoConnection> _connections = [];
    private readonly List<Acceptor> _acceptors = [];
    private readonly AcceptGate _gate;
    private readonly StallWatch _watch;
    private bool _disposed;

    private LoopEchoHost(AcceptGate gate)
    {
        _gate = gate;
        _watch = new StallWatch(_loop, _connections);
    }

    /// <summary>Serves from now on.</summary>
    /// <param name="endpoints">Those that are <see cref="ServerEndpoint.IsOnLoop"/>.</param>
    /// <param name="options">What to set on accepted sockets.</param>
    /// <param name="gate">How many connections there may be.</param>
    public static LoopEchoHost Start(IEnumerable<ServerEndpoint> endpoints, ServerOptions options, AcceptGate gate)
    {
        var host = new LoopEchoHost(gate);
        var sockets = endpoints.SelectMany(endpoint => endpoint.Sockets.Select(bound => (endpoint, bound.Socket))).ToList();
        host._loop.Post(_ =>
        {
            foreach (var (endpoint, socket) in sockets)
                host._acceptors.Add(new Acceptor(host, endpoint, socket, options));
        }, null);
        return host;
    }

    /// <summary>Closes every connection and forgets the listening sockets, which stay their endpoints'.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        using var closed = new ManualResetEventSlim();
        _loop.Post(_ =>
        {
            _acceptors.ForEach(acceptor => acceptor.Stop());
            foreach (var connection in _connections.ToList())
                connection.End();
            closed.Set();
        }, null);
        closed.Wait(StopLimit);
        _loop.Dispose();
    }

    /// <summary>Accepts for one listening socket.</summary>
    private sealed class Acceptor : ILoopTimer
    {
        // Then those that are served have their turn.
        private const int MostAtOnce = 64;

        // For want of a descriptor or of memory: until then there may be some.
        private const long RetryNs = 50_000_000;

        private readonly LoopEchoHost _host;
        private readonly ServerEndpoint _endpoint;
        private readonly ServerOptions _options;
        private readonly bool _isTcp;
        private readonly LoopListener _listener;
        private bool _stopped;

        public Acceptor(LoopEchoHost host, ServerEndpoint endpoint, Socket socket, ServerOptions options)
        {
            (_host, _endpoint, _options) = (host, endpoint, options);
            _isTcp = socket.ProtocolType == ProtocolType.Tcp;
            _listener = new LoopListener(host._loop, socket, OnReady);
            _listener.Arm();
        }

        public void OnDue()
        {
            if (!_stopped)
                OnReady();
        }

        public void Stop()
        {
            _stopped = true;
            _listener.Forget();
        }

        private void OnReady()
        {
            for (var accepted = 0; accepted < MostAtOnce; accepted++)
            {
                var descriptor = _listener.TryAccept();
                if (descriptor == LoopSocket.WouldBlock)
                    break;
                if (descriptor < 0)
                {
                    _host._loop.Schedule(MonotonicClock.NowNs + RetryNs, this);
                    return;
                }
                Serve(descriptor);
            }
            _listener.Arm();
        }

        private void Serve(int descriptor)
        {
            if (!_host._gate.TryEnter())
            {
                LoopListener.Discard(descriptor);
                return;
            }
            if (_isTcp && !_options.Nagle)
                LoopListener.SetNoDelay(descriptor);
            if (_options.SocketBuffer is { } size)
                LoopListener.SetBuffers(descriptor, size);
            _endpoint.Counters.ConnectionOpened();
            _host._connections.Add(new LoopEchoConnection(_host._loop, descriptor, Hold, _host._watch.Begin, OnEnd));
        }

        private Func<ValueTask>? Hold => _endpoint.Fault == Fault.None ? null : _endpoint.Fault.HoldAsync;

        private void OnEnd(LoopEchoConnection connection)
        {
            _host._connections.Remove(connection);
            _endpoint.Counters.ConnectionClosed();
            _host._gate.Closed();
        }
    }

    /// <summary>
    /// Ends connections whose clients have read nothing for a while although bytes wait for them: each holds a buffer of the server. Looks
    /// once a second, and only while there are any: a timer costs every wait of the loop a look at the clock.
    /// </summary>
    private sealed class StallWatch(EventLoop loop, HashSet<LoopEchoConnection> connections) : ILoopTimer
    {
        private const long SecondNs = 1_000_000_000;

        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

        private bool _looks;

        public void Begin(LoopEchoConnection connection)
        {
            if (_looks)
                return;
            _looks = true;
            loop.Schedule(MonotonicClock.NowNs + SecondNs, this);
        }

        public void OnDue()
        {
            _looks = false;
            foreach (var connection in connections.Where(connection => connection.IsStalled(Patience)).ToList())
                connection.End();
            if (connections.FirstOrDefault(connection => connection.IsWaiting) is { } waiting)
                Begin(waiting);
        }
    }
}
