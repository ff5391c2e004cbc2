using System.Globalization;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using IpcBench.Transports.Rings;

namespace IpcBench.Server.Echo;

/// <summary>
/// An echo in a child process of the client, on standard input and output, on a socketpair or in shared memory. The process ends
/// with its one connection, which also ends when the client is killed.
/// </summary>
internal static class ChildEcho
{
    private const int MostAtOnce = 64 << 10;

    public static async Task RunAsync(Address address, ServerOptions options)
    {
        int? socket = address.Kind == Address.Child.SocketPair ? int.Parse(options.ChildEnd!, CultureInfo.InvariantCulture) : null;
        var behavior = options.Behaviors.For(options.Listen.Count + options.Echo.Index().First(echo => echo.Item == address).Index);
        if (address.Kind == Address.Child.SharedMemory)
            await InMemoryAsync(options.ChildEnd!, options.Wait, behavior);
        else if (EventLoop.IsSupported && options.Sockets is null or SocketEngine.Loop)
            await OnLoopAsync(socket, behavior == EndpointBehavior.None ? null : behavior.HoldAsync);
        else
            await BlockingAsync(socket, behavior);
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

    // A single thread reads and writes, like the main loop of most programs that communicate over standard input and
    // output.
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

    // One thread receives, sends and waits.
    private static async Task InMemoryAsync(string end, RingWait wait, EndpointBehavior behavior)
    {
        using var ring = InheritedRing.Open(end, wait);
        var buffer = new byte[MostAtOnce];
        while (ring.Wait())
        {
            ring.TakeRoom();
            for (int count; (count = ring.Receive(buffer)) != 0;)
            {
                if (count > 0 && behavior != EndpointBehavior.None)
                    await behavior.HoldAsync();
                if (count == RingConnection.Broken || !SendAll(ring, buffer.AsSpan(0, count)))
                {
                    await Console.Error.WriteLineAsync(RingConnection.BrokenText);
                    return;
                }
            }
        }
    }

    /// <summary>
    /// Sends all bytes, and waits for room in the ring when there is too little. Returns false when the client has
    /// written a wrong position into the shared memory.
    /// </summary>
    private static bool SendAll(RingConnection ring, ReadOnlySpan<byte> bytes)
    {
        while (true)
        {
            var sent = ring.Send(bytes);
            if (sent == RingConnection.Broken)
                return false;
            bytes = bytes[sent..];
            if (bytes.IsEmpty)
                return true;
            if (!ring.Wait(forRoomAlone: true))
                return true; // the client has ended
            ring.TakeRoom();
        }
    }
}
