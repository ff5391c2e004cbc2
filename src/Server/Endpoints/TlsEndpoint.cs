using System.Security.Cryptography.X509Certificates;
using IpcBench.Transports;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>TLS as a layer over TCP, with a certificate of its own.</summary>
internal sealed class TlsEndpoint(
    Address address, string? note, IReadOnlyList<BoundSocket> sockets, int? socketBuffer, X509Certificate2 certificate)
    : SocketEndpoint(address, note, sockets, socketBuffer)
{
    public override void Dispose()
    {
        base.Dispose();
        certificate.Dispose();
    }

    protected override void AddLayers(ListenOptions listen)
    {
        base.AddLayers(listen);
        listen.UseHttps(certificate);
    }
}
