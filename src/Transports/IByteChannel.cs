
namespace IpcBench.Transports;

/// <summary>A channel of bytes in both directions. One thread receives, and one caller at a time sends.</summary>
public interface IByteChannel : IDisposable
{
    /// <summary>Waits until bytes arrive, and copies them.</summary>
    /// <returns>The number of bytes. 0 at the end.</returns>
    /// <exception cref="IOException">The channel is broken.</exception>
    int Receive(Span<byte> buffer);

    /// <summary>Sends all bytes.</summary>
    /// <exception cref="IOException">The other side does not receive any more.</exception>
    ValueTask SendAsync(ReadOnlyMemory<byte> bytes);

    /// <summary>Ends the connection. A waiting <see cref="Receive"/> returns if the system can interrupt the wait.</summary>
    void Close();
}
