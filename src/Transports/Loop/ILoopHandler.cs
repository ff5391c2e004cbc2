namespace IpcBench.Transports.Loop;

/// <summary>What an <see cref="EventLoop"/> tells the owner of a socket. Called on the loop's thread; must not throw.</summary>
public interface ILoopHandler
{
    /// <summary>Bytes, the end of the stream or an error can be read. The loop tells it once: read until nothing is left.</summary>
    /// <param name="hangUp">The other side has closed: what can be read ends with end of stream or an error.</param>
    void OnReadable(bool hangUp);

    /// <summary>There is room to send again; only after <see cref="LoopSocket.WantWritable"/>.</summary>
    void OnWritable();
}
