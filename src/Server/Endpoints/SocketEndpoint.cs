using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Transports;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>An endpoint on sockets: TCP, a Unix socket, or the Unix socket of a pipe on Unix.</summary>
/// <param name="certificate">The certificate of TLS, which the endpoint disposes. Null for cleartext.</param>
internal sealed class SocketEndpoint(
    Address address, string? note, EndpointRole role, IReadOnlyList<BoundSocket> sockets, int? socketBuffer,
    X509Certificate2? certificate = null)
    : ServerEndpoint(address, note, role)
{
    public override IReadOnlyList<BoundSocket> Sockets => sockets;

    public override void AddTo(KestrelServerOptions kestrel)
    {
        if (IsWithoutKestrel)
            return;
        foreach (var socket in sockets)
            kestrel.Listen(socket.EndPoint, Configure);
    }

    public override void RemoveFiles()
    {
        foreach (var socket in sockets)
            socket.File?.Remove();
    }

    public override void Dispose()
    {
        foreach (var socket in sockets)
            socket.Dispose();
        certificate?.Dispose();
    }

    protected override void AddLayers(ListenOptions listen)
    {
        base.AddLayers(listen);
        if (socketBuffer is { } size)
        {
            // The buffers are set for each connection. An accepted TCP socket inherits the buffer sizes of its listener,
            // but an accepted Unix socket does not (af_unix.c).
            listen.Use(next => connection =>
            {
                if (connection.Features.Get<IConnectionSocketFeature>()?.Socket is { } socket)
                    SetBuffers(socket, size);
                return next(connection);
            });
        }
        if (certificate is not null)
            listen.UseHttps(certificate);
    }

    internal static void SetBuffers(Socket socket, int size) => (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
}
