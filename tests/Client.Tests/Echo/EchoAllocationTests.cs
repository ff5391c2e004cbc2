using IpcBench.Client.Dialing;
using IpcBench.Client.Protocols.Echo;

namespace IpcBench.Client.Tests.Echo;

public class EchoAllocationTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(16_384)]
    public void Nothing_is_allocated_for_a_packet(int size)
    {
        var (exchange, output) = (new EchoProtocol(size), new OutputBuffer(new BufferPool()));
        Call(exchange, output);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var packet = 0; packet < 10_000; packet++)
            Call(exchange, output);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private static void Call(EchoProtocol exchange, OutputBuffer output)
    {
        exchange.Write(output);
        var bytes = output.Unsent.Span;
        exchange.Read(ref bytes, out var result);
        Assert.True(result.IsOk);
        output.Clear();
    }
}
