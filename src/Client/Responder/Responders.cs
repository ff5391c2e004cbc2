using System.Net.Sockets;

namespace IpcBench.Client.Responder;

/// <summary>Answers connections that were accepted, each in the cheapest way there is for it.</summary>
internal sealed class Responders : IDisposable
{
    private readonly ReplyShelf shelf = new();

    /// <summary>Takes the socket over.</summary>
    public void Answer(Socket accepted)
    {
        if (accepted.ProtocolType == ProtocolType.Tcp)
            accepted.NoDelay = true;
        Answer(new NetworkStream(accepted, ownsSocket: true));
    }

    /// <summary>Takes the stream over.</summary>
    public void Answer(Stream accepted) => _ = StreamResponder.RunAsync(accepted, shelf);

    public void Dispose()
    {
    }
}
