using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using IpcBench.Server.Echo;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Rings;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Options;

namespace IpcBench.Server.Hosting;

/// <summary>Kestrel's transport in a child: gives Kestrel the one connection with the client.</summary>
internal sealed class ChildListenerFactory(
    ServerOptions options, IOptions<SocketTransportOptions> sockets, ILogger<ChildListenerFactory> logger)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector, IDisposable
{
    private SocketConnectionContextFactory? factory;

    public bool CanBind(EndPoint endpoint) => endpoint is ChildEndPoint;

    /// <exception cref="IOException">The client did not give this process an end of the connection.</exception>
    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        var address = ((ChildEndPoint)endpoint).Address;
        var application = options.Inline ? PipeScheduler.Inline : PipeScheduler.ThreadPool;
        ConnectionContext connection = address.Transport switch
        {
            Address.Child.SocketPair => FromSocket(int.Parse(options.ChildEnd!, CultureInfo.InvariantCulture)),
            Address.Child.SharedMemory => new ChildConnection(
                new RingChannel(InheritedRing.Open(options.ChildEnd!, options.Wait)), address.Kind, application),
            _ => new ChildConnection(
                new StreamChannel(Console.OpenStandardInput(), Console.OpenStandardOutput()), address.Kind, application),
        };
        return new(new ChildListener(endpoint, connection));
    }

    public void Dispose() => factory?.Dispose();

    private ConnectionContext FromSocket(int descriptor)
    {
        factory = new(
            new SocketConnectionFactoryOptions
            {
                MaxReadBufferSize = sockets.Value.MaxReadBufferSize,
                MaxWriteBufferSize = sockets.Value.MaxWriteBufferSize,
                IOQueueCount = sockets.Value.IOQueueCount,
                UnsafePreferInlineScheduling = sockets.Value.UnsafePreferInlineScheduling,
                WaitForDataBeforeAllocatingBuffer = sockets.Value.WaitForDataBeforeAllocatingBuffer,
            },
            logger);
        return factory.Create(new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)));
    }
}

/// <summary>A listener that accepts the connection of a child, and no other.</summary>
internal sealed class ChildListener(EndPoint endPoint, ConnectionContext connection) : IConnectionListener
{
    private readonly TaskCompletionSource unbound = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool isAccepted;

    public EndPoint EndPoint => endPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        if (!isAccepted)
        {
            isAccepted = true;
            return connection;
        }
        await unbound.Task.WaitAsync(cancellationToken);
        return null;
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        unbound.TrySetResult();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => UnbindAsync();
}

/// <summary>A connection of a child over standard input and output or shared memory, in the form that Kestrel expects.</summary>
internal sealed class ChildConnection : DefaultConnectionContext
{
    private readonly ThreadPipes pipes;

    public ChildConnection(IByteChannel channel, string name, PipeScheduler application)
        : base(name) =>
        Transport = pipes = ThreadPipes.Start(channel, name, application, () => base.Abort(new ConnectionAbortedException()));

    public override void Abort(ConnectionAbortedException abortReason)
    {
        base.Abort(abortReason);
        pipes.Close();
    }

    public override async ValueTask DisposeAsync()
    {
        // The application has finished with the connection. Bytes that the application has written are still sent.
        await pipes.Input.CompleteAsync();
        await pipes.Output.CompleteAsync();
        await pipes.Sent;
        await base.DisposeAsync();
    }
}
