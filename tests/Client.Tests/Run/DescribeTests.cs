using System.Net;
using System.Net.Sockets;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class DescribeTests
{
    [Fact]
    public async Task A_server_that_resets_every_connection_is_reported_as_not_answering()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var resetting = ResetAllAsync(listener);
        var address = Address.Parse($"http://{listener.LocalEndpoint}");
        // The client notices the reset earlier or later by chance, so the test makes many attempts.
        for (var attempt = 0; attempt < 300; attempt++)
        {
            using var client = new GrpcCaller(address, new ConnectorOptions()) { Patience = TestLoad.Patience };
            var told = await Assert.ThrowsAnyAsync<IOException>(() => ServerControl.DescribeAsync(client, CancellationToken.None));
            Assert.StartsWith($"{address} does not answer: ", told.Message);
        }
        listener.Stop();
        await resetting;
    }

    private static async Task ResetAllAsync(TcpListener listener)
    {
        try
        {
            while (true)
            {
                using var accepted = await listener.AcceptSocketAsync();
                accepted.LingerState = new LingerOption(true, 0); // close(2) sends RST
            }
        }
        catch (Exception e) when (e is SocketException or InvalidOperationException)
        {
            // The test is over: the listener was stopped before or during an accept.
        }
    }
}
