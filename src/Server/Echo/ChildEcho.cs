using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Echo;

/// <summary>
/// An echo in a child process of the client, on standard input and output or on a socketpair. The process ends with its
/// one connection, which also ends when the client is killed.
/// </summary>
internal static class ChildEcho
{
    private const int MostAtOnce = 64 << 10;

    public static async Task<int> RunAsync(Address address, ServerOptions options)
    {
        // The terminal also sends Ctrl-C to this process, which ignores it. The closed connection ends the process.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true);
        using var quit = PosixSignalRegistration.Create(PosixSignal.SIGQUIT, static context => context.Cancel = true);
        var behavior = options.Behaviors.For(options.Listen.Count + options.Echo.Index().First(echo => echo.Item == address).Index);
        if (EventLoop.IsSupported && options.Sockets is null or SocketEngine.Loop)
            await OnLoopAsync(options.ChildSocket, behavior == EndpointBehavior.None ? null : behavior.HoldAsync);
        else
            await BlockingAsync(options.ChildSocket, behavior);
        return 0;
    }

    [SupportedOSPlatform("linux")]
    private static async Task OnLoopAsync(int? socket, Func<ValueTask>? hold)
    {
        if (socket is { } descriptor)
            Descriptor.SetNonBlocking(descriptor);
        using var loop = new EventLoop("echo") { LetsOthersRun = false };
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(_ => _ = new LoopEchoConnection(loop, socket ?? 0, hold, static _ => { }, _ => ended.TrySetResult(),
            output: socket is null ? 1 : -1), null);
        await ended.Task;
    }

    // One thread reads and writes, as the main loop of most programs that speak over standard input does.
    private static async Task BlockingAsync(int? socket, EndpointBehavior behavior)
    {
        using var both = socket is { } descriptor
            ? new NetworkStream(new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)))
            : null;
        var (input, output) = (both ?? Console.OpenStandardInput(), both ?? Console.OpenStandardOutput());
        var buffer = new byte[MostAtOnce];
        try
        {
            for (int count; (count = input.Read(buffer)) > 0;)
            {
                if (behavior != EndpointBehavior.None)
                    await behavior.HoldAsync();
                output.Write(buffer, 0, count);
            }
        }
        catch (IOException)
        {
            // The client has closed the connection.
        }
    }
}
