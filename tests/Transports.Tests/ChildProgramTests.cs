using System.Diagnostics;
using System.IO.Pipes;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

/// <summary>Checks connections to child processes with real programs: cat, and shells that misbehave.</summary>
public sealed class ChildProgramTests : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly List<Address.Child> offered = [];

    public async ValueTask DisposeAsync() => await Children.EndAsync(offered);

    [Theory]
    [InlineData("stdio", false)]
    [InlineData("stdio", true)]
    [InlineData("socketpair", false)]
    [InlineData("socketpair", true)]
    public async Task Bytes_of_random_sizes_pass_unchanged_in_both_directions(string kind, bool onLoop)
    {
        var child = Offer(kind, "exec cat");
        Connector connector = onLoop && OperatingSystem.IsLinux() ? new PipedConnector(child, new()) : Connector.For(child, new());
        await using var stream = await connector.ConnectAsync(CancellationToken.None);
        Assert.Single(Children.Running(child));
        var random = new Random(38);
        for (var i = 0; i < 300; i++)
        {
            var sent = new byte[1 + (int)Math.Exp(random.NextDouble() * Math.Log(1 << 20))];
            random.NextBytes(sent);
            var received = new byte[sent.Length];
            var writing = stream.WriteAsync(sent).AsTask(); // if the pipe is full, the write waits until bytes are read
            await stream.ReadExactlyAsync(received).AsTask().WaitAsync(Patience);
            await writing.WaitAsync(Patience);
            Assert.Equal(sent, received);
        }
    }

    [Fact]
    public async Task The_exit_code_and_last_line_of_an_ended_child_are_kept_and_no_new_child_is_started()
    {
        var child = Offer("stdio", "echo the disk is full >&2; exit 3");
        await using (var stream = await Connector.For(child, new()).ConnectAsync(CancellationToken.None))
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().WaitAsync(Patience));
        // Each look waits only a moment for the exit code, which a busy machine may tell later.
        for (var look = 0; look < 60 && Children.Dead([child]) is not (_, not null, { Length: > 0 }); look++)
            await Task.Delay(20);
        Assert.Equal(("stdio", 3, "the disk is full"), Children.Dead([child]));
        var error = await Assert.ThrowsAsync<CannotConnectException>(
            async () => await Connector.For(child, new()).ConnectAsync(CancellationToken.None));
        Assert.Equal($"cannot connect to {child}: a child has ended", error.Message);
    }

    [Fact]
    public async Task A_child_that_fills_standard_error_still_answers()
    {
        var child = Offer("stdio", "head -c 1000000 /dev/zero >&2; exec cat");
        await using var stream = await Connector.For(child, new()).ConnectAsync(CancellationToken.None);
        await stream.WriteAsync(new byte[] { 7 });
        var received = new byte[1];
        await stream.ReadExactlyAsync(received).AsTask().WaitAsync(Patience);
        Assert.Equal(7, received[0]);
    }

    [Theory]
    [InlineData("exec cat")]
    [InlineData("trap '' TERM; while true; do sleep 1000; done")] // ignores SIGTERM: is killed
    public async Task The_method_EndAsync_ends_each_child_even_if_the_child_ignores_SIGTERM(string script)
    {
        var child = Offer("stdio", script);
        await using (await Connector.For(child, new()).ConnectAsync(CancellationToken.None))
        {
            using var process = Process.GetProcessById(Assert.Single(Children.Running(child)));
            await Children.EndAsync([child]).WaitAsync(Patience);
            Assert.True(process.HasExited);
        }
        Assert.Null(Children.Dead([child]));
    }

    [Fact]
    [SupportedOSPlatform("linux")]
    public void The_event_loop_gets_the_pipes_of_a_child_without_a_new_descriptor()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        Process? process = null;
        var address = Offer("stdio", _ => process = Started("exec cat"));
        var child = Children.Start(address);
        int[] pipes = [NumberOf(process!.StandardOutput.BaseStream), NumberOf(process.StandardInput.BaseStream)];
        var (input, output) = child.TakeDescriptors();
        Assert.Equal((pipes[0], pipes[1]), (input, output));
        Assert.All(pipes, pipe => Assert.Equal(0, Native.Close(pipe)));

        static int NumberOf(Stream pipe) => (int)((PipeStream)pipe).SafePipeHandle.DangerousGetHandle();
    }

    [Fact]
    public async Task An_address_that_nobody_serves_is_refused()
    {
        var error = await Assert.ThrowsAsync<CannotConnectException>(
            async () => await Connector.For(new Address.Child("stdio", "none"), new()).ConnectAsync(CancellationToken.None));
        Assert.Equal("cannot connect to stdio:none: no program serves it", error.Message);
    }

    private Address.Child Offer(string kind, string script) =>
        Offer(kind, end => Started(end is not null ? script + $" <&{end} >&{end}" : script));

    private Address.Child Offer(string kind, Func<string?, Process> start)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the children are programs of Unix");
        var address = new Address.Child(kind, Guid.NewGuid().ToString("N"));
        offered.Add(address);
        Children.Offer(address, start);
        return address;
    }

    private static Process Started(string script) => Process.Start(new ProcessStartInfo("bash", ["-c", script])
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    })!;
}
