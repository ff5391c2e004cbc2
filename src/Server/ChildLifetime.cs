using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Server.Echo;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server;

/// <summary>
/// The process of a child, which serves one connection with the client. The process ends with this connection, which also ends
/// when the client is killed.
/// </summary>
internal static class ChildLifetime
{
    public static async Task<int> RunAsync(Address child, ServerOptions options)
    {
        // The terminal sends the signal of Ctrl-C to the client and also to this process. This process ignores the
        // signal, because it ends when the client closes the connection.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true);
        using var quit = PosixSignalRegistration.Create(PosixSignal.SIGQUIT, static context => context.Cancel = true);
        if (options.ChildEnd is null && child.Kind != Address.Child.Stdio)
            throw new CannotListenException($"{child} has no --child-end: only a client starts such a process");
        // The client has set the buffers of its own end.
        if (child.Kind == Address.Child.SocketPair && options.SocketBuffer is { } size && OperatingSystem.IsLinux())
            LoopListener.SetBuffers(int.Parse(options.ChildEnd!, CultureInfo.InvariantCulture), size);
        if (options.Echo.Contains(child) && options.Sockets != SocketEngine.DotNet)
        {
            await ChildEcho.RunAsync(child, options);
            return 0;
        }
        await using var server = await BenchServer.StartAsync(options, Console.Error);
        await ((ChildEndpoint)server.Endpoints[0]).EndPoint.Ended;
        return 0;
    }
}
