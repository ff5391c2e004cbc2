using System.Runtime.Versioning;
using IpcBench.Transports;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>A named pipe of Windows, by Kestrel's own transport. Kestrel binds it, so a pipe in use is found at the start of Kestrel.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsPipeEndpoint(Address.Pipe address) : ServerEndpoint(address, null)
{
    public override void AddTo(KestrelServerOptions kestrel) => kestrel.ListenNamedPipe(address.Name, Configure);

    public override void Dispose()
    {
    }
}
