using System.Buffers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

/// <summary>Checks error messages and leaks of descriptors when the process may open no more.</summary>
[CollectionDefinition("descriptor limit", DisableParallelization = true)]
[Collection("descriptor limit")]
[SupportedOSPlatform("linux")] // for the compiler: the tests are skipped on other systems
public sealed partial class DescriptorLimitTests
{
    private const int OpenFiles = 7; // RLIMIT_NOFILE, asm-generic/resource.h

    // .NET opens an epoll descriptor for its first socket. An assembly that could not be loaded for lack of a descriptor stays missing.
    // So this constructor opens a socket and loads the assemblies before the tests.
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
    public async Task A_connect_without_a_free_descriptor_fails_and_the_next_connect_succeeds(
        string kind, bool onLoops = false)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux' sentences");
        await using var server = EchoServer.Start(kind);
        var plain = Connector.For(server.Address, new ConnectorOptions());
        // The first PipedConnector starts the event loops, which need descriptors too.
        var connector = onLoops ? new PipedConnector(server.Address, new ConnectorOptions()) : plain;
        await using var first = await plain.ConnectAsync(CancellationToken.None);
        await first.WriteAsync(new byte[1]);
        await first.ReadExactlyAsync(new byte[1]); // by now the server has opened all its descriptors

        var refused = await Assert.ThrowsAsync<CannotConnectException>(
            () => WithDescriptors(0, () =>
            {
                var connecting = connector.ConnectAsync(CancellationToken.None).AsTask();
                SpinWait.SpinUntil(() => connecting.IsCompleted, TimeSpan.FromSeconds(30)); // event loops connect on their own threads
                return connecting;
            }));

        // .NET gives the same message whether the process or the whole system has too many open files.
        Assert.StartsWith($"cannot connect to {server.Address}: ", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Too many open files", refused.Message, StringComparison.Ordinal);
        await using var next = await connector.ConnectAsync(CancellationToken.None);
        await next.WriteAsync(new byte[1]);
        await next.ReadExactlyAsync(new byte[1]);
    }

    // One free descriptor is too few for an epoll set; three are too few for all four loops.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void If_one_loop_cannot_start_all_loops_end_and_a_later_start_works(int descriptors)
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
    public void An_epoll_set_that_cannot_open_its_second_descriptor_closes_the_first_one()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        new EpollSet().Dispose();
        var before = Sets();

        // Repeated: another thread may take the only free descriptor, and then there is none that could leak.
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

    /// <summary>Runs the action while this process can open only <paramref name="more"/> more descriptors.</summary>
    private static T WithDescriptors<T>(int more, Func<T> action)
    {
        ulong next;
        using (var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
            next = (ulong)socket.Handle; // the lowest free descriptor
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
