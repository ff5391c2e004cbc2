using System.Runtime.InteropServices;
using IpcBench.Client.Dialing;

namespace IpcBench.Client.Tests.Dialing;

public sealed class OutputBufferTests
{
    [Fact]
    public void Waiting_bytes_are_seldom_moved_however_many_wait()
    {
        const int packet = 10_000, waiting = 64;
        var output = new OutputBuffer(new BufferPool());
        for (var i = 0; i < waiting; i++)
            output.Append(new byte[packet]);
        var moves = 0;
        for (var i = 0; i < waiting; i++)
        {
            output.Sent(packet);
            var before = MemoryOf(output);
            output.Append(new byte[packet]);
            moves += ReferenceEquals(before, MemoryOf(output)) ? 0 : 1;
        }
        Assert.InRange(moves, 0, 2);

        static byte[]? MemoryOf(OutputBuffer output) => MemoryMarshal.TryGetArray(output.Unsent, out var array) ? array.Array : null;
    }
}
