using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.LoopSockets;

/// <summary>An accepted connection in the form that Kestrel expects.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopConnection : ConnectionContext, IDuplexPipe, IConnectionIdFeature, IConnectionTransportFeature,
    IConnectionItemsFeature, IConnectionLifetimeFeature, IConnectionEndPointFeature, IConnectionSocketFeature, IMemoryPoolFeature
{
    private static long opened;

    private readonly CancellationTokenSource closed = new();
    private readonly TaskCompletionSource told = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SocketPipes pipes;
    private readonly LoopThread thread;
    private string? id;
    private IDictionary<object, object?>? items;

    private LoopConnection(LoopThread thread, Socket socket)
    {
        (this.thread, Socket) = (thread, socket);
        // The end points are read now. Later the connection may be closed, and the number of its descriptor may belong
        // to another connection.
        (LocalEndPoint, RemoteEndPoint) = (socket.LocalEndPoint, socket.RemoteEndPoint);
        pipes = new SocketPipes(thread.Input, thread.Output, TellOfEnd, static reason => new ConnectionResetException(reason));
        (Transport, ConnectionClosed) = (this, closed.Token);
        Features.Set<IConnectionIdFeature>(this);
        Features.Set<IConnectionTransportFeature>(this);
        Features.Set<IConnectionItemsFeature>(this);
        Features.Set<IConnectionLifetimeFeature>(this);
        Features.Set<IConnectionEndPointFeature>(this);
        Features.Set<IConnectionSocketFeature>(this);
        Features.Set<IMemoryPoolFeature>(this);
    }

    public override string ConnectionId
    {
        get => id ??= FormattableString.Invariant($"loop-{Interlocked.Increment(ref opened)}");
        set => id = value;
    }

    public override IFeatureCollection Features { get; } = new FeatureCollection(initialCapacity: 16);

    public override IDictionary<object, object?> Items
    {
        get => items ??= new ConnectionItems();
        set => items = value;
    }

    public override IDuplexPipe Transport { get; set; }

    public override CancellationToken ConnectionClosed { get; set; }

    public override EndPoint? LocalEndPoint { get; set; }

    public override EndPoint? RemoteEndPoint { get; set; }

    public MemoryPool<byte> MemoryPool => thread.Pool;

    /// <summary>
    /// The socket, whose state may be read and whose options may be set. Do not receive, send or close with this
    /// object, because the event loop owns the socket. The socket is disposed with the connection.
    /// </summary>
    public Socket Socket { get; }

    PipeReader IDuplexPipe.Input => pipes.Input;

    PipeWriter IDuplexPipe.Output => pipes.Output;

    /// <summary>Takes ownership of the socket and starts to serve it on the loop.</summary>
    public static LoopConnection Open(LoopThread thread, Socket socket)
    {
        var connection = new LoopConnection(thread, socket);
        thread.Loop.Post(static state => ((LoopConnection)state!).Start(), connection);
        return connection;
    }

    // Kestrel passes null when the client has ended its side in good order. The client must then not see a reset.
    public override void Abort(ConnectionAbortedException? abortReason) => thread.Loop.Post(_ =>
    {
        if (abortReason is null)
            pipes.Close(new ConnectionAbortedException());
        else
            pipes.Abort(abortReason);
    }, null);

    public override async ValueTask DisposeAsync()
    {
        // The application has finished with the connection. Bytes that the application has written are still sent, and
        // further input is dropped.
        await pipes.Input.CompleteAsync();
        await pipes.Output.CompleteAsync();
        await pipes.Ended;
        await told.Task;
        closed.Dispose();
    }

    private void Start()
    {
        try
        {
            pipes.Start(LoopSocket.Adopt(thread.Loop, Socket, pipes));
        }
        catch (IOException e)
        {
            // epoll refused to watch the socket, for example because the limit of watched descriptors is reached.
            pipes.Fail(e);
        }
    }

    private void TellOfEnd() => ThreadPool.UnsafeQueueUserWorkItem(static connection => connection.FireClosed(), this, preferLocal: false);

    private void FireClosed()
    {
        try
        {
            closed.Cancel();
        }
        catch (AggregateException e)
        {
            thread.OnFault(e);
        }
        told.TrySetResult();
    }
}
