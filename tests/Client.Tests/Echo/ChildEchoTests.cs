using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Echo;

/// <summary>Checks echoes over the standard input and output of real programs.</summary>
public sealed class ChildEchoTests : IAsyncDisposable
{
    private const string Silent = "exec sleep 1000", Unix = "the children are programs of Unix";

    private readonly Address.Child child = new("stdio", Guid.NewGuid().ToString("N"));

    public async ValueTask DisposeAsync() => await Children.EndAsync([child]);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(65_521, 3)]
    [InlineData(1 << 20, 2)] // larger than the pipes: a client that waited for room before it reads would wait for ever
    public async Task Every_packet_comes_back_unchanged_over_as_many_children_as_connections(int size, int atOnce)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), Unix);
        var started = 0;
        Children.Offer(child, _ =>
        {
            Interlocked.Increment(ref started);
            return Start("exec cat");
        });
        var result = await TestLoad.MeasureAsync(Options(size) with { Connections = 3, Streams = atOnce }, new LoadWindow { Calls = 100 });
        Assert.Equal((100, 100, 3), (result.Started, result.Ok, started));
    }

    [Theory]
    [InlineData("echo Hello; exec cat", "cannot connect to {0}: the server does not send the same bytes back")]
    [InlineData("exit 3", "cannot connect to {0}: the server closed the connection")]
    [InlineData(Silent, "only 0 of 1 connections to {0} could be opened within 0.5 s: the server does not answer")]
    public async Task A_child_that_is_no_echo_is_reported_when_the_connection_opens(string script, string sentence)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), Unix);
        Children.Offer(child, _ => Start(script));
        var options = Options(64);
        if (script == Silent) // only the child that never answers may reach the deadline
            options = options with { ConnectDeadline = TimeSpan.FromSeconds(0.5) };
        var source = await ProtocolTable.ConnectionsAsync(options, CancellationToken.None);
        var error = await Assert.ThrowsAsync<IOException>(() => LoadGenerator.OpenAsync(options, source, CancellationToken.None));
        Assert.Equal(string.Format(null, sentence, child), error.Message);
    }

    [Theory]
    [InlineData(1024, 1L << 40)] // more bytes were written than the ring holds
    [InlineData(1024, -1L)]
    [InlineData(128, 1L << 40)] // more bytes were read than were written
    public async Task A_child_that_writes_wrong_positions_into_the_memory_ends_the_connection_with_a_sentence(int offset, long position)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "maps the memory of a descriptor twice");
        var shared = new Address.Child(Address.Child.SharedMemory, child.Name);
        // The process only has to live. This test takes its place.
        Children.Offer(shared, end =>
        {
            var same = new FileStream($"/proc/self/fd/{end}", FileMode.Open, FileAccess.ReadWrite);
            using var file = MemoryMappedFile.CreateFromFile(
                same, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: false);
            using var view = file.CreateViewAccessor();
            view.Write(offset, position);
            return Start(Silent);
        });
        var options = Options(1 << 20) with { Address = shared };
        var source = await ProtocolTable.ConnectionsAsync(options, CancellationToken.None);
        var error = await Assert.ThrowsAsync<IOException>(() => LoadGenerator.OpenAsync(options, source, CancellationToken.None));
        Assert.Equal($"cannot connect to {shared}: the server closed the connection", error.Message);
        var dead = Children.Dead([shared]);
        await Children.EndAsync([shared]);
        Assert.Equal(("shm", "it wrote a wrong position into the shared memory"), (dead!.Value.Kind, dead.Value.Words));
    }

    // On a busy machine, the start of a program takes seconds.
    private LoadOptions Options(int size) => new()
    {
        Address = child,
        Protocol = ProtocolTable.Echo,
        Size = size,
        Connections = 1,
        Threads = 1,
        ConnectDeadline = TimeSpan.FromSeconds(60),
    };

    private static Process Start(string script) => Process.Start(new ProcessStartInfo("sh", ["-c", script])
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    })!;
}
