using System.Net;
using IpcBench.Transports;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>
/// An address that child processes of the client serve. The listening server only reports the address. In a child, Kestrel
/// serves the one connection, or <see cref="Echo.ChildEcho"/> does without Kestrel.
/// </summary>
/// <param name="isServed">Whether this process is a child that serves the address by Kestrel.</param>
internal sealed class ChildEndpoint(Address.Child address, string? note, EndpointRole role, bool isServed)
    : ServerEndpoint(address, note, role)
{
    /// <summary>Where Kestrel finds the connection.</summary>
    public ChildEndPoint EndPoint { get; } = new(address);

    public override void AddTo(KestrelServerOptions kestrel)
    {
        if (isServed)
            kestrel.Listen(EndPoint, Configure);
    }

    public override void Dispose()
    {
    }

    protected override void AddLayers(ListenOptions listen)
    {
        base.AddLayers(listen);
        listen.Use(next => async connection =>
        {
            try
            {
                await next(connection);
            }
            finally
            {
                EndPoint.NoteEnd();
            }
        });
    }
}

/// <summary>The one connection of a child, as an end point on which Kestrel can listen.</summary>
internal sealed class ChildEndPoint(Address.Child address) : EndPoint
{
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Address.Child Address => address;

    /// <summary>Completes when the connection has ended.</summary>
    public Task Ended => ended.Task;

    public void NoteEnd() => ended.TrySetResult();

    public override string ToString() => address.ToString();
}
