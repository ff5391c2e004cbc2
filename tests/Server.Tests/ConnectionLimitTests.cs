using System.Net.Sockets;
using System.Runtime.ExceptionServices;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class ConnectionLimitTests
{
    public static TheoryData<string> Sockets => Engines.Theory;

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task Connections_above_the_descriptor_limit_are_closed_and_the_server_continues(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of open files is set by a shell here");
        const int files = 400, connections = 1_000;
        await using var child = await ServerChild.StartWithFilesAsync(
            files, "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
        var address = child.Addresses[0];
        var opened = new List<Stream>();
        using (var first = new GrpcClient(address))
        {
            var limit = (await first.DescribeAsync()).Limits.MaxConnections;
            Assert.InRange(limit, 16, files);
            for (var connection = 0; connection < connections; connection++)
                opened.Add(await ConnectAsync(address));
            // The server closes the last connection, which is above the limit.
            Assert.Equal(0, await opened[^1].ReadAsync(new byte[1]).AsTask().WaitAsync(Limits.Wait));
            Assert.Equal(10, (await first.DownloadAsync(10)).Length);
            Assert.InRange((await first.UsageAsync()).Endpoints[0].ConnectionsOpen, 1, limit);
        }
        foreach (var stream in opened)
            await stream.DisposeAsync();
        using var next = new GrpcClient(address);
        Assert.Equal(10, await RetryAsync(async () => (await next.DownloadAsync(10)).Length));
        Assert.Equal("more than 48 connections: the server closes further connections at once; allow more with ulimit -n",
            Assert.Single((await child.ErrorAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries)));
    }

    [Theory]
    [InlineData(80)]
    [InlineData(367)]
    public async Task With_too_few_file_descriptors_the_server_ends_and_names_the_needed_number(int files)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of open files is set by a shell here");
        var (exitCode, output, error) = await ServerChild.RunWithFilesAsync(files, "--listen", Addresses.Unix().ToString());
        Assert.Equal((2, ""), (exitCode, output));
        Assert.Equal(
            $"cannot listen: the limit of open files is {files}, but the server needs 368 and one more for each connection: "
            + "allow more with ulimit -n", error.TrimEnd());
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_server_with_a_lowered_limit_closes_excess_connections_and_continues(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of a running process is changed by prlimit");
        const int files = 400, connections = 100;
        await using var child = await ServerChild.StartWithFilesAsync(
            files, "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
        var address = child.Addresses[0];
        using (var first = new GrpcClient(address))
            Assert.Equal(10, (await first.DownloadAsync(10)).Length);
        await child.LimitFilesAsync(356, files);
        var opened = await ConnectManyAsync(address, connections);
        Assert.Equal(0, await opened[^1].ReadAsync(new byte[1]).AsTask().WaitAsync(Limits.Wait));
        foreach (var stream in opened)
            await stream.DisposeAsync();
        using var next = new GrpcClient(address);
        Assert.Equal(10, await RetryAsync(async () => (await next.DownloadAsync(10)).Length));
        Assert.Equal("more than 4 connections: the server closes further connections at once; allow more with ulimit "
            + "-n\n", await child.ErrorAsync());
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_connection_without_a_descriptor_is_served_when_descriptors_are_free_again(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of a running process is changed by prlimit");
        const int files = 400, servers = 5;
        for (var number = 1; ; number++)
        {
            await using var child = await ServerChild.StartWithFilesAsync(
                files, "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
            try
            {
                await WaitForADescriptorAsync(child);
                return;
            }
            catch (Exception) when (number < servers && child.HasAborted)
            {
                // The .NET runtime reads files of /proc itself. Without a descriptor it sometimes aborts the process
                // ("Out of memory."). The server cannot prevent that, so the test starts another server.
            }
        }

        async Task WaitForADescriptorAsync(ServerChild child)
        {
            using (var first = new GrpcClient(child.Addresses[0]))
                Assert.Equal(10, (await first.DownloadAsync(10)).Length);
            await child.LimitFilesAsync(10, files); // the server has more descriptors open and can open none
            using var next = new GrpcClient(child.Addresses[0]);
            var call = next.DownloadAsync(10);
            if (sockets == "loop")
                Assert.Equal(Stuck("Too many open files"), await child.ErrorLineAsync());
            await child.LimitFilesAsync(files, files);
            Assert.Equal(10, (await call.WaitAsync(Limits.Wait)).Length);
        }
    }

    /// <summary>
    /// The test shuts the listening socket down to make accept fail: without descriptors the runtime itself may abort.
    /// Kestrel on .NET's sockets is not tested: it retries a failed accept at once and without end, and nothing can
    /// slow the retries down.
    /// </summary>
    [Theory]
    [InlineData(false, "loop")]
    [InlineData(true, "loop")]
    [InlineData(true, "bare")]
    public async Task A_server_that_cannot_accept_warns_once_and_does_not_spin(bool isEcho, string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        Address[] own = [new Address.Tcp("127.0.0.1", 0)];
        var attempts = 0;
        AppDomain.CurrentDomain.FirstChanceException += Count;
        try
        {
            await using var open = await ServerUnderTest.StartAsync(
                new ServerOptions { Listen = isEcho ? [] : own, Echo = isEcho ? own : [], Sockets = Engines.Of(sockets) });
            var clock = System.Diagnostics.Stopwatch.StartNew();
            open.Endpoints[0].Sockets[0].Socket.Shutdown(SocketShutdown.Both);
            using var limit = new CancellationTokenSource(Limits.Wait);
            while (!open.Warnings.Contains("No connection can be accepted", StringComparison.Ordinal))
                await Task.Delay(10, limit.Token);
            await Task.Delay(TimeSpan.FromSeconds(0.5), limit.Token);
            Assert.Equal(Stuck("Invalid argument"), open.Warnings.TrimEnd());
            // A try every 50 ms throws up to 10 times. A listener that spins tries thousands of times in a second.
            Assert.InRange(attempts, 0, 100 + clock.ElapsedMilliseconds / 5);
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Count;
        }

        void Count(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (e.Exception is SocketException { SocketErrorCode: SocketError.InvalidArgument })
                Interlocked.Increment(ref attempts);
        }
    }

    private static string Stuck(string reason) => $"No connection can be accepted ({reason}); the listener tries again every 50 ms.";

    private static async Task<List<Stream>> ConnectManyAsync(Address address, int count)
    {
        var opened = new List<Stream>();
        while (opened.Count < count)
            opened.Add(await ConnectAsync(address));
        return opened;
    }

    private static Task<Stream> ConnectAsync(Address address) =>
        Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None).AsTask().WaitAsync(Limits.Wait);

    // The server may need a moment to notice that the other connections have closed.
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
