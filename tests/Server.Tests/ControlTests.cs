using IpcBench.Host;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

public class ControlTests
{
    [Fact]
    public async Task The_method_Describe_reports_endpoints_limits_and_knobs()
    {
        var pipe = Addresses.Pipe();
        await using var server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Tcp, pipe], MaxSize = 12_345, Backlog = 99, SocketBuffer = 65_536 });
        using var client = new GrpcClient(server.Address);
        var reply = await client.DescribeAsync();
        Assert.Equal(Stacks.Default, reply.Stack);
        Assert.Equal([(server.Address.ToString(), "tcp", false), (pipe.ToString(), "pipe", !OperatingSystem.IsWindows())],
            reply.Endpoints.Select(endpoint => (endpoint.Address, endpoint.Kind, endpoint.Note.Length > 0)));
        Assert.Equal((12_345, 100), (reply.Limits.MaxSize, reply.Limits.MaxStreams));
        Assert.InRange(reply.Limits.MaxConnections, 1, 20_000);
        Assert.Equal(("99", "65536", "no"), (reply.Settings["backlog"], reply.Settings["socket-buffer"], reply.Settings["nagle"]));
        Assert.Equal(Environment.ProcessId, reply.ProcessId);
        Assert.StartsWith(".NET 10", reply.Runtime);
    }

    [Fact]
    public async Task The_method_Describe_reports_only_known_variables_of_the_runtime()
    {
        // The server is a process of its own, because servers of other tests would see variables of the test process.
        await using var server = await ServerChild.StartWithVariablesAsync(
            new() { ["DOTNET_ConnectionStrings__Main"] = "Password=s3cret", ["DOTNET_GCHeapCount"] = "3" },
            "--listen", Addresses.Unix().ToString());
        using var client = new GrpcClient(server.Addresses[0]);
        var reply = await client.DescribeAsync();
        Assert.DoesNotContain("s3cret", reply.ToString(), StringComparison.Ordinal);
        Assert.Equal("3", reply.Settings["env:DOTNET_GCHeapCount"]);
    }

    [Fact]
    public async Task The_method_Usage_counts_calls_and_connections_per_endpoint()
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Tcp, Addresses.Unix(), Addresses.Pipe(), Addresses.Tls);
        using var observer = new GrpcClient(server.Endpoints[0].Address);
        using (var unix = new GrpcClient(server.Endpoints[1].Address))
        using (var pipe = new GrpcClient(server.Endpoints[2].Address))
        using (var tls = new GrpcClient(server.Endpoints[3].Address))
        {
            for (var call = 0; call < 3; call++)
                await unix.DownloadAsync(10);
            await pipe.DownloadAsync(1_000_000);
            await tls.DownloadAsync(10);
            await unix.PostAsync(GrpcClient.Download, [0]);
            Assert.Equal([("tcp", 0L, 1L, 1L), ("unix", 3L, 1L, 1L), ("pipe", 1L, 1L, 1L), ("tls", 1L, 1L, 1L)], await ReadAsync(observer));
        }
        await EventuallyAsync(async () => (await ReadAsync(observer)).Skip(1).All(endpoint => endpoint.Item4 == 0));
        Assert.Equal([1L, 1L, 1L, 1L], (await ReadAsync(observer)).Select(endpoint => endpoint.Item3));
    }

    [Fact]
    public async Task The_reported_usage_grows_with_the_work_of_the_process()
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Unix());
        using var client = new GrpcClient(server.Address);
        var before = await client.UsageAsync();
        for (var call = 0; call < 200; call++)
            await client.DownloadAsync(10);
        var after = await client.UsageAsync();
        Assert.True(after.CpuUserNs + after.CpuKernelNs > before.CpuUserNs + before.CpuKernelNs);
        Assert.True(after.AllocatedBytes > before.AllocatedBytes);
        Assert.True(after.WorkingSetBytes > 1_000_000);
        Assert.Equal(3, after.GcCollections.Count);
        if (OperatingSystem.IsLinux())
            Assert.True(after.ContextSwitches > before.ContextSwitches);
    }

    [Fact]
    public async Task The_option_work_adds_CPU_time_only_to_calls_of_the_given_endpoint()
    {
        const int calls = 100, workMs = 5;
        const long workNs = calls * workMs * 980_000L;
        // The server is a process of its own, because the CPU time of this process includes the other tests.
        await using var server = await ServerChild.StartAsync(
            "--listen", Addresses.Unix().ToString(), "--listen", Addresses.Unix().ToString(), "--work", $"1={workMs}ms");
        using var free = new GrpcClient(server.Addresses[0]);
        using var working = new GrpcClient(server.Addresses[1]);
        Assert.InRange(await CpuNsAsync(working), workNs, long.MaxValue);
        // The runtime may compile many methods again during one of the readings.
        long[] others = [await CpuNsAsync(free), await CpuNsAsync(free), await CpuNsAsync(free)];
        Assert.InRange(others.Min(), 0, workNs - 1);

        static async Task<long> CpuNsAsync(GrpcClient client)
        {
            var before = await client.UsageAsync();
            for (var call = 0; call < calls; call++)
                await client.DownloadAsync(10);
            var after = await client.UsageAsync();
            return after.CpuUserNs + after.CpuKernelNs - before.CpuUserNs - before.CpuKernelNs;
        }
    }

    [Theory]
    [InlineData(20_000)]
    [InlineData(1_000_000)]
    public void The_simulated_work_takes_the_requested_CPU_time(long ns)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads the clock of a thread");
        var work = new Work(ns);
        var taken = new List<double>();
        for (var run = 0; run < 101; run++)
        {
            var before = ProcessClock.OfThisThreadNs();
            work.Run();
            taken.Add(ProcessClock.OfThisThreadNs() - before);
        }
        taken.Sort();
        // To read the clock costs up to 1 µs where system calls are slow. On a busy machine most runs include
        // interrupts and switches to other programs. So the test judges a fast run, the 11th of 101.
        Assert.InRange(taken[10], ns * 0.98 - 1_000, ns * 1.02 + 1_000);
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("30us", 30_000)]
    [InlineData("1.5ms", 1_500_000)]
    [InlineData("30", -1)]
    [InlineData("us", -1)]
    [InlineData("-1us", -1)]
    [InlineData("2h", -1)]
    [InlineData("61s", -1)]
    public void The_work_option_is_a_time_with_a_unit(string text, long ns)
    {
        var options = new EndpointBehaviorOptions { Work = [text] };
        if (ns < 0)
        {
            Assert.Equal($"'{text}' is not a time of at most 1m for --work: write 30us, 1.5ms or, for the second endpoint alone, 1=30us",
                Assert.Throws<FormatException>(() => options.For(0)).Message);
            return;
        }
        var behavior = options.For(0);
        Assert.Equal(ns == 0, behavior == EndpointBehavior.None);
        // The fastest of several runs has no interruption. A wrong unit would change the time a thousandfold.
        if (OperatingSystem.IsLinux())
            Assert.InRange(Enumerable.Range(0, 20).Min(_ => CpuNs(behavior)), ns / 2, 2 * ns + 20_000);

        static long CpuNs(EndpointBehavior behavior)
        {
            var before = ProcessClock.OfThisThreadNs();
            Assert.True(behavior.HoldAsync().IsCompletedSuccessfully);
            return ProcessClock.OfThisThreadNs() - before;
        }
    }

    [Fact]
    public async Task Every_reply_is_late_by_at_least_the_given_delay()
    {
        await using var server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Unix()], Behaviors = new EndpointBehaviorOptions { DelayUs = ["20000"] } });
        using var client = new GrpcClient(server.Address);
        var times = await Task.WhenAll(Enumerable.Range(0, 10).Select(async _ =>
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            await client.DownloadAsync(10);
            return clock.ElapsedMilliseconds;
        }));
        Assert.All(times, ms => Assert.InRange(ms, 20, (long)Limits.Wait.TotalMilliseconds));
    }

    [Fact]
    public async Task The_two_kinds_of_faults_are_a_short_payload_and_an_error_after_the_whole_payload()
    {
        var behaviors = new EndpointBehaviorOptions { Answers = ["0=short", "1=status"] };
        await using var server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Unix(), Addresses.Unix()], Behaviors = behaviors });
        using var brief = new GrpcClient(server.Endpoints[0].Address);
        Assert.Equal(9, (await brief.DownloadAsync(10)).Length);
        using var failing = new GrpcClient(server.Endpoints[1].Address);
        var reply = await failing.PostAsync(GrpcClient.Download, GrpcClient.Frame([8, 10]));
        Assert.Equal(
            (IpcBench.Http2.GrpcStatusCode.Internal, false, 12), (reply.Status!.Value, reply.TrailersOnly, reply.Message.Length));
        Assert.Equal(0, server.Endpoints[1].Counters.Calls);
    }

    private static async Task<(string, long, long, long)[]> ReadAsync(GrpcClient client) =>
        [.. (await client.UsageAsync()).Endpoints.Select(e => (e.Kind, e.Calls, e.ConnectionsOpened, e.ConnectionsOpen))];

    private static async Task EventuallyAsync(Func<Task<bool>> condition)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (!await condition())
            await Task.Delay(20, limit.Token);
    }
}
