using IpcBench.Client.Dialing;
using IpcBench.Client.Protocols.Echo;

namespace IpcBench.Client.Tests.Echo;

public class EchoAllocationTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(16_384, 1)]
    [InlineData(10_000, 4)]
    [InlineData(1_000_000, 2)]
    public void Nothing_is_allocated_for_a_packet(int size, int atOnce)
    {
        var (exchange, output) = (new EchoProtocol(size), new OutputBuffer(new BufferPool()));
        Call(exchange, output, atOnce);
        Assert.Equal(0, Allocated.By(() =>
        {
            for (var packet = 0; packet < 1_000; packet++)
                Call(exchange, output, atOnce);
        }));
    }

    private static void Call(EchoProtocol exchange, OutputBuffer output, int atOnce)
    {
        for (var packet = 0; packet < atOnce; packet++)
            exchange.Write(output);
        for (var bytes = output.Unsent.Span; !bytes.IsEmpty;)
        {
            exchange.Read(ref bytes, out var result);
            Assert.True(result.IsOk);
        }
        output.Clear();
    }
}
