using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Transports;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>A named pipe of Windows, by Kestrel's own transport, which makes the pipe when it starts.</summary>
[SupportedOSPlatform("windows")]
internal sealed partial class WindowsPipeEndpoint : ServerEndpoint
{
    private readonly string name;

    /// <summary>Checks that the name is free.</summary>
    /// <exception cref="CannotListenException">Another server has a pipe of that name.</exception>
    public WindowsPipeEndpoint(Address.Pipe address, string? note)
        : base(address, note)
    {
        this.name = address.Name;
        // Kestrel looks for other Kestrels alone, and a pipe's name may be shared by servers that do not know of each other.
        if (IsServed(@"\\.\pipe\" + this.name))
            throw new CannotListenException(
                $"cannot listen on {address}: another server is answering there; stop it or choose another name with --listen");
    }

    public override void AddTo(KestrelServerOptions kestrel) => kestrel.ListenNamedPipe(this.name, Configure);

    public override void Dispose()
    {
    }

    // Waits for a free instance without connecting to it, so that a live server does not notice.
    private static bool IsServed(string path)
    {
        const uint shortest = 1;
        const int notFound = 2;
        return WaitNamedPipe(path, shortest) || Marshal.GetLastPInvokeError() != notFound;
    }

    [LibraryImport("kernel32", EntryPoint = "WaitNamedPipeW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool WaitNamedPipe(string name, uint milliseconds);
}
