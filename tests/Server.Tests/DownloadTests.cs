using IpcBench.Protocol;
using IpcBench.Server.BuiltIn;
using IpcBench.Server.Options;
using IpcBench.Server.Services;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

public class DownloadTests
{
    public static MatrixTheoryData<string, string, string> KindsAndStacks => new(Addresses.Kinds, Stacks.Names, Engines.All);

    public static TheoryData<string> Sockets => Engines.Theory;

    [Theory]
    [MemberData(nameof(KindsAndStacks))]
    public async Task Every_transport_answers_with_the_exact_bytes_of_every_size(string kind, string stack, string sockets)
    {
        await using var server = await ServerUnderTest.StartAsync(new ServerOptions
        {
            Listen = [Addresses.Of(kind)],
            Stack = stack,
            Sockets = Engines.Of(sockets),
        });
        using var client = new GrpcClient(server.Address);
        foreach (var size in (int[])[0, 1, 10, 127, 128, 16_383, 16_384, 16_385, 100_000, 1_000_000, 5_000_000])
            Assert.Equal(Expected(size), await client.DownloadAsync(size));
    }

    [Fact]
    public async Task Replies_that_are_not_cached_have_the_same_bytes()
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Tcp);
        using var client = new GrpcClient(server.Address);
        for (var size = 1; size <= 256; size++)
            await client.DownloadAsync(size);
        foreach (var size in (int[])[300, 65_536, 70_000, 3_000_000, 0, 256])
            Assert.Equal(Expected(size), await client.DownloadAsync(size));
    }

    [Fact]
    public void The_number_and_the_bytes_of_cached_replies_are_limited()
    {
        var replies = new DownloadReplies();
        Assert.Same(replies.For(10), replies.For(10));
        var huge = replies.For(128 << 20);
        Assert.NotSame(huge, replies.For(128 << 20));
        Assert.True(huge.Head.Length < 32);
        for (var size = 0; size < 1_000; size++)
            replies.For(size);
        Assert.NotSame(replies.For(999), replies.For(999));
        Assert.Same(replies.For(10), replies.For(10));
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task Concurrent_calls_on_one_connection_each_get_their_own_size(string sockets)
    {
        await using var server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Unix()], Sockets = Engines.Of(sockets) });
        using var client = new GrpcClient(server.Address);
        var sizes = Enumerable.Range(0, 300).Select(call => call * 997).ToArray();
        var payloads = await Task.WhenAll(sizes.Select(size => client.DownloadAsync(size)));
        Assert.Equal(sizes, payloads.Select(payload => payload.Length));
    }

    [Fact]
    public void A_cached_reply_is_returned_without_an_allocation()
    {
        var replies = new DownloadReplies();
        replies.For(1_000_000);
        var allocated = Allocated.By(() =>
        {
            for (var call = 0; call < 1_000; call++)
                replies.For(1_000_000);
        });
        Assert.InRange(allocated, 0, 1_000);
    }

    [Fact]
    public async Task No_payload_is_allocated_per_call()
    {
        const int size = 1_000_000, calls = 100;
        await using var child = await ServerChild.StartAsync("--stack", BuiltInStack.StackName, "--listen", Addresses.Unix().ToString());
        using var client = new GrpcClient(child.Addresses[0]);
        for (var call = 0; call < calls; call++)
            await client.DownloadAsync(size);
        var before = (await client.UsageAsync()).AllocatedBytes;
        for (var call = 0; call < calls; call++)
            await client.DownloadAsync(size);
        // Kestrel itself allocates some 30 kB per megabyte.
        Assert.InRange(((await client.UsageAsync()).AllocatedBytes - before) / calls, 0, size / 4);
    }

    private static byte[] Expected(int size)
    {
        var payload = new byte[size];
        PayloadPattern.Fill(payload);
        return payload;
    }
}
