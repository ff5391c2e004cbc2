using System.Net.Sockets;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.CalibrationServer;

/// <summary>Answers connections that were accepted, each in the cheapest way there is for it: on event loops, or on the thread pool.</summary>
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
