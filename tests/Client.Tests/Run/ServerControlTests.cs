using System.Net;
using System.Net.Sockets;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class ServerControlTests
{
    [Fact]
    public async Task Connections_to_other_servers_are_closed_if_one_server_does_not_answer()
    {
        await using var first = new FakeServer();
        await using var second = new FakeServer();
        Target[] targets =
        [
            new(second.Address, new Variant("", new Knobs())), new(ChildProcess.PrivateAddress("unix"), new Variant("", new Knobs())),
        ];

        await Assert.ThrowsAsync<IOException>(
            () => ServerControl.OpenAsync(
                targets, [first.Address], new ConnectorOptions(), TestLoad.Patience, TestContext.Current.CancellationToken));

        Assert.Equal((1, 1), (first.Accepted, second.Accepted));
        for (var i = 0; i < 300 && first.Open + second.Open > 0; i++)
            await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.Equal(0, first.Open + second.Open);
    }

    [Fact]
    public void Only_a_NET_server_has_a_known_garbage_collector()
    {
        Assert.Equal("", ServerControl.GcOf(new DescribeReply { Stack = "grpcio", Runtime = "CPython 3.13" }));
        Assert.Equal("workstation", ServerControl.GcOf(new DescribeReply { Runtime = ".NET 10.0.1" }));
        Assert.Equal("server, concurrent",
            ServerControl.GcOf(new DescribeReply { Runtime = ".NET 10.0.1", ServerGc = true, ConcurrentGc = true }));
    }

    // A busy machine may take seconds until a server that was just started answers its first call.
    [Fact]
    public async Task A_server_that_does_not_answer_is_reported_at_the_time_limit_of_the_caller()
    {
        using var silent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        silent.Listen();
        var address = new Address.Tcp("127.0.0.1", ((IPEndPoint)silent.LocalEndPoint!).Port);

        var failure = await Assert.ThrowsAsync<IOException>(() => ServerControl.OpenAsync(
            [new(address, new Variant("", new Knobs()))], [], new ConnectorOptions(), TimeSpan.FromSeconds(1),
            TestContext.Current.CancellationToken));

        Assert.Contains(" within 1 s", failure.Message, StringComparison.Ordinal);
    }
}
