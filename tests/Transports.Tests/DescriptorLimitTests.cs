using System.Buffers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

/// <summary>What is said, and what stays open, where the system allows no more descriptors.</summary>
[CollectionDefinition("descriptor limit", DisableParallelization = true)]
[Collection("descriptor limit")]
[SupportedOSPlatform("linux")] // for the compiler's sake: elsewhere the tests are skipped
public sealed partial class DescriptorLimitTests
{
    private const int OpenFiles = 7; // RLIMIT_NOFILE, asm-generic/resource.h

    // .NET opens an epoll descriptor for its first socket. And an assembly that it does not find for want of a descriptor is missing for
    // good: the assemblies are loaded before.
    static DescriptorLimitTests()
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        if (EventLoop.IsSupported)
            LoopThread.End(LoopThread.Start(1, Make));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("unix", true)]
    public async Task A_connection_without_a_descriptor_fails_with_one_sentence_and_the_next_one_is_opened(
        string kind, bool onLoops = false)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux' sentences");
        await using var server = EchoServer.Start(kind);
        var plain = Connector.For(server.Address, new ConnectorOptions());
        // The first connector of this kind starts the event loops, for which there is no descriptor either.
        var connector = onLoops ? new PipedConnector(server.Address, new ConnectorOptions()) : plain;
        await using var first = await plain.ConnectAsync(CancellationToken.None);
        await first.WriteAsync(new byte[1]);
        await first.ReadExactlyAsync(new byte[1]); // by now the server has opened all that it opens

        var refused = await Assert.ThrowsAsync<IOException>(
            () => WithDescriptors(0, () =>
            {
                var connecting = connector.ConnectAsync(CancellationToken.None).AsTask();
                SpinWait.SpinUntil(() => connecting.IsCompleted, TimeSpan.FromSeconds(30)); // event loops connect on their own threads
                return connecting;
            }));

        // .NET says the same for too many of this process and of the whole system.
        Assert.StartsWith($"cannot connect to {server.Address}: ", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Too many open files", refused.Message, StringComparison.Ordinal);
        await using var next = await connector.ConnectAsync(CancellationToken.None);
        await next.WriteAsync(new byte[1]);
        await next.ReadExactlyAsync(new byte[1]);
    }

    // For want of one of its own, or of those of its thread.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void If_one_loop_cannot_start_no_loop_stays_and_a_later_start_works(int descriptors)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        var before = Sets();
        for (var i = 0; i < 5; i++)
            Assert.Throws<IOException>(() => WithDescriptors(descriptors, () => LoopThread.Start(4, Make)));
        Assert.Equal(before, Sets());
        var threads = LoopThread.Start(2, Make);
        Assert.Equal(2, threads.Count);
        Assert.Empty(LoopThread.End(threads));
    }

    [Fact]
    public void An_epoll_set_without_its_second_descriptor_closes_the_first()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        new EpollSet().Dispose();
        var before = Sets();

        // More than once: something else of this process may take the one that is left.
        for (var i = 0; i < 5; i++)
        {
            var refused = Assert.Throws<IOException>(() => WithDescriptors(1, () => new EpollSet()));
            Assert.Equal("no epoll descriptor: Too many open files", refused.Message);
        }
        Assert.Equal(before, Sets());
    }

    private static LoopThread Make(int index) =>
        new($"test {index}", MemoryPool<byte>.Shared, (null, null), inline: false, static _ => { });

    private static int Sets() =>
        Directory.GetFiles("/proc/self/fd").Count(file => new FileInfo(file).LinkTarget == "anon_inode:[eventpoll]");

    /// <summary>Does it while only so many descriptors more can be had.</summary>
    private static T WithDescriptors<T>(int more, Func<T> action)
    {
        ulong next;
        using (var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
            next = (ulong)socket.Handle; // the lowest that is free
        Assert.Equal(0, getrlimit(OpenFiles, out var limits));
        Assert.Equal(0, setrlimit(OpenFiles, limits with { Current = next + (ulong)more }));
        try
        {
            return action();
        }
        finally
        {
            _ = setrlimit(OpenFiles, limits);
        }
    }

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, in Limits limits);

    private record struct Limits(ulong Current, ulong Maximum);
}
