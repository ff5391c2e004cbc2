using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Transports;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>A named pipe of Windows on Kestrel's transport, which creates the pipe when Kestrel starts.</summary>
[SupportedOSPlatform("windows")]
internal sealed partial class WindowsPipeEndpoint : ServerEndpoint
{
    private readonly string name;

    /// <summary>Makes the endpoint, and checks that the name is free.</summary>
    /// <exception cref="CannotListenException">Another server has a pipe of this name.</exception>
    public WindowsPipeEndpoint(Address.Pipe address, string? note, EndpointRole role)
        : base(address, note, role)
    {
        this.name = address.Name;
        // Windows lets unrelated servers have pipes of the same name, and Kestrel notices only other Kestrel servers.
        // So the name is checked here.
        if (IsServed(@"\\.\pipe\" + this.name))
            throw role.At(address).Refusal(
                $"another server answers at this name: stop that server or choose another name with {role.Option}");
    }

    public override void AddTo(KestrelServerOptions kestrel) => kestrel.ListenNamedPipe(this.name, Configure);

    public override void Dispose()
    {
    }

    // Waits for a free instance of the pipe but opens no connection. So a server of this pipe does not notice the
    // check.
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
