using System.Net.Sockets;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.CalibrationServer;

/// <summary>
/// Answers connections that were accepted, each in the cheapest way there is for it: on event loops, or on the thread pool.
/// </summary>
internal sealed class Responders : IDisposable
{
    private const int ScratchSize = 128 * 1024;

    private readonly ReplyShelf shelf = new();
    private readonly List<(EventLoop Loop, byte[] Scratch)> loops = [];
    private int next;

    public Responders()
    {
        if (!EventLoop.IsSupported)
            return;
        // A quarter of the machine: the client that is measured wants the rest.
        var count = Math.Clamp(Environment.ProcessorCount / 4, 1, 4);
        for (var i = 0; i < count; i++)
            loops.Add((new EventLoop($"responder {i}"), new byte[ScratchSize]));
    }

    /// <summary>Takes the socket over.</summary>
    public void Answer(Socket accepted)
    {
        if (accepted.ProtocolType == ProtocolType.Tcp)
            accepted.NoDelay = true;
        if (!EventLoop.IsSupported)
        {
            Answer(new NetworkStream(accepted, ownsSocket: true));
            return;
        }
        var (loop, scratch) = loops[(Interlocked.Increment(ref next) & int.MaxValue) % loops.Count];
        LoopResponder.Attach(loop, scratch, shelf, accepted);
    }

    /// <summary>Takes the stream over.</summary>
    public void Answer(Stream accepted) => _ = StreamResponder.RunAsync(accepted, shelf);

    public void Dispose()
    {
        if (!EventLoop.IsSupported)
            return;
        foreach (var (loop, _) in loops)
            loop.Dispose();
    }
}

/// <summary>Answers one connection over any stream, on the thread pool.</summary>
internal static class StreamResponder
{
    private const int BufferSize = 64 * 1024;

    /// <summary>Until the other side closes or speaks no HTTP/2. Closes the stream; never throws.</summary>
    public static async Task RunAsync(Stream stream, ReplyShelf shelf)
    {
        var connection = new ResponderConnection(shelf);
        byte[] input = new byte[BufferSize], output = new byte[BufferSize];
        await using (stream)
        {
            try
            {
                for (var read = 1; read > 0;)
                {
                    for (var filled = connection.Fill(output); filled > 0; filled = connection.Fill(output))
                        await stream.WriteAsync(output.AsMemory(0, filled));
                    read = await stream.ReadAsync(input);
                    if (!connection.Take(input.AsSpan(0, read)))
                        return;
                }
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // The client has gone: that is how every connection of a calibration ends.
            }
        }
    }
}
