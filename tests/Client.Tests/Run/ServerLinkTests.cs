using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class ServerLinkTests
{
    [Fact]
    public async Task Connections_to_the_servers_before_one_that_does_not_answer_are_closed()
    {
        await using var first = new FakeServer();
        await using var second = new FakeServer();
        Target[] targets =
        [
            new(second.Address, new Variant("", new Knobs())), new(ChildProcess.PrivateAddress("unix"), new Variant("", new Knobs())),
        ];

        await Assert.ThrowsAsync<IOException>(
            () => ServerLink.OpenAsync(targets, [first.Address], new ConnectorOptions(), TestContext.Current.CancellationToken));

        Assert.Equal((1, 1), (first.Accepted, second.Accepted));
        for (var i = 0; i < 300 && first.Open + second.Open > 0; i++)
            await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.Equal(0, first.Open + second.Open);
    }
}
