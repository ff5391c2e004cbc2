namespace IpcBench.Transports.Loop;

/// <summary>
/// The owner of a socket. An <see cref="EventLoop"/> calls the owner's methods on the loop's thread. The methods must
/// not throw.
/// </summary>
public interface ILoopHandler
{
    /// <summary>
    /// Called when there are bytes, the end of the stream or an error to read. An event is not repeated. So the owner must
    /// read as long as <see cref="LoopSocket.MayHoldMore"/> is true.
    /// </summary>
    void OnReadable();

    /// <summary>Called when the socket has room again, once after each <see cref="LoopSocket.WantWritable"/>.</summary>
    void OnWritable();
}
