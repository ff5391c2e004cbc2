using IpcBench.Transports;
using IpcBench.Transports.Rings;

namespace IpcBench.Server.Echo;

/// <summary>The shared memory that a child gets from the client.</summary>
internal static class InheritedRing
{
    /// <summary>
    /// Opens the child's end. A second thread reads standard input, whose end shows that the client has ended, and then ends the
    /// connection.
    /// </summary>
    /// <inheritdoc cref="RingConnector.Open"/>
    public static RingConnection Open(string inherited, RingWait wait)
    {
        var ring = RingConnector.Open(inherited, wait);
        new Thread(() =>
        {
            using var input = Console.OpenStandardInput();
            while (input.ReadByte() >= 0)
                continue;
            ring.Stop();
        })
        { IsBackground = true, Name = "end" }.Start();
        return ring;
    }
}
