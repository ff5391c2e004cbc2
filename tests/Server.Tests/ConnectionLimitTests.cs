using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class ConnectionLimitTests
{
    [Fact]
    public async Task More_connections_than_there_are_file_descriptors_are_closed_and_the_server_lives_on()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of open files is set by a shell here");
        const int files = 400, connections = 1_000;
        await using var child = await ServerChild.StartWithFilesAsync(files, "--listen", Addresses.Unix().ToString());
        var address = child.Addresses[0];
        var opened = new List<Stream>();
        using (var first = new GrpcClient(address))
        {
            var limit = (await first.DescribeAsync()).Limits.MaxConnections;
            Assert.InRange(limit, 16, files);
            for (var connection = 0; connection < connections; connection++)
                opened.Add(await Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None).AsTask().WaitAsync(Limits.Wait));
            // The last of them finds no room and is told so by a close.
            Assert.Equal(0, await opened[^1].ReadAsync(new byte[1]).AsTask().WaitAsync(Limits.Wait));
            Assert.Equal(10, (await first.DownloadAsync(10)).Length);
            Assert.InRange((await first.UsageAsync()).Endpoints[0].ConnectionsOpen, 1, limit);
        }
        foreach (var stream in opened)
            await stream.DisposeAsync();
        using var next = new GrpcClient(address);
        Assert.Equal(10, await RetryAsync(async () => (await next.DownloadAsync(10)).Length));
    }

    // The server may need a moment to notice that the others have gone.
    private static async Task<int> RetryAsync(Func<Task<int>> call)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (true)
        {
            try
            {
                return await call();
            }
            catch (HttpRequestException)
            {
                await Task.Delay(50, limit.Token);
            }
        }
    }
}
