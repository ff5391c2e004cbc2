using System.Net.Sockets;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class ChildServerCommandTests
{
    [Fact]
    public void Knobs_become_options_of_the_server_and_switches_have_no_value()
    {
        var knobs = new Knobs { SocketBuffer = 65536, Nagle = true, Inline = true, Http2Window = 1 << 20, ServerWindow = 70_000 };

        var arguments = new ChildServerCommand(
            [Address.Parse("unix:/tmp/a b")], [], jsonRpc: false, 100, knobs, null, new Dictionary<string, string?>()).Arguments();

        Assert.Equal(
            ["--owned", "--listen", "unix:/tmp/a b", "--socket-buffer", "65536", "--nagle", "--http2-window", "70000", "--inline"],
            arguments);
    }

    [Fact]
    public void Only_socket_files_of_ended_runs_are_removed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        using var ended = System.Diagnostics.Process.Start("true");
        ended.WaitForExit();
        var (gone, id) = (ended.Id, Guid.NewGuid().ToString("N")[..6]);
        var left = Left(FormattableString.Invariant($"grpcbench-{gone}-{id}01.sock"));
        var pipe = Left(FormattableString.Invariant($"CoreFxPipe_grpcbench-{gone}-{id}02"));
        var ofThis = Left(FormattableString.Invariant($"grpcbench-{Environment.ProcessId}-{id}03.sock"));
        var another = Left(FormattableString.Invariant($"shop-{gone}-{id}04.sock"));
        var served = Path.Combine(Path.GetTempPath(), FormattableString.Invariant($"grpcbench-{gone}-{id}05.sock"));
        using (var server = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            server.Bind(new UnixDomainSocketEndPoint(served));
            server.Listen();
            LeftSockets.Remove();
            Assert.Equal([false, false, true, true, true], new[] { left, pipe, ofThis, another, served }.Select(File.Exists));
        }
        File.Delete(ofThis);
        File.Delete(another);

        // .NET removes the file by the name that was bound.
        static string Left(string name)
        {
            var path = Path.Combine(Path.GetTempPath(), name);
            using var server = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            server.Bind(new UnixDomainSocketEndPoint(path + "x"));
            File.Move(path + "x", path);
            return path;
        }
    }

    // A server of another user (sudo) cannot be ended. The test cannot start one, so made-up servers fail.
    [Fact]
    public async Task All_other_servers_are_ended_even_if_one_cannot_be_ended()
    {
        var ended = new List<int>();
        var servers = Enumerable.Range(1, 4).Select(id => new Server(id, ended)).ToList();
        var refusal = await Assert.ThrowsAsync<EnvironmentException>(() => ChildProcess.EndAllAsync(servers));
        Assert.Equal([1, 2, 3, 4], ended);
        Assert.Equal("process 2 may not be ended; process 4 may not be ended", refusal.Message);

        var both = await Assert.ThrowsAsync<EnvironmentException>(
            () => ChildProcess.EndAfterAsync(new EnvironmentException("it did not become ready"), servers[1]));
        Assert.Equal("it did not become ready; process 2 may not be ended", both.Message);
        await ChildProcess.EndAfterAsync(new IOException("nobody answers"), servers[0]);
    }

    private sealed class Server(int id, List<int> ended) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            ended.Add(id);
            return id % 2 == 0 ? throw new EnvironmentException($"process {id} may not be ended") : ValueTask.CompletedTask;
        }
    }

    [Fact]
    public async Task The_server_accepts_and_reports_the_least_value_of_every_knob()
    {
        Knobs least = new()
        {
            SocketBuffer = 1 << 10,
            ServerWindow = 65_535,
            Nagle = true,
            Backlog = 1,
            IoQueues = 0,
            Inline = true,
            EagerReceive = true,
            Sockets = "dotnet",
            Stack = "built-in",
            Work = TimeSpan.FromMicroseconds(1),
            Wait = "spin",
        };
        var command = new ChildServerCommand(
            [ChildProcess.PrivateAddress("unix")], [], jsonRpc: false, 100, least, null, new Dictionary<string, string?>());
        var own = Knob.All.Where(knob => knob.ServerOption is not null).ToList();
        Assert.All(own, knob => Assert.Contains(knob.ServerOption!, command.Arguments()));

        await using var server = await ChildServer.StartAsync(command, TestContext.Current.CancellationToken);
        using var caller = new GrpcCaller(server.Endpoints[0].Address, new ConnectorOptions());
        var told = await ServerControl.DescribeAsync(caller, TestContext.Current.CancellationToken);

        // The reply has a separate field for the stack.
        Assert.Equal("built-in", told!.Stack);
        Assert.All(own.Where(knob => knob.Name != "stack"), knob =>
            Assert.Equal(knob.Read(least) is "on" ? "yes" : knob.Read(least), told!.Settings[knob.ServerOption![2..]]));
    }

    [Fact]
    public void The_option_max_streams_is_passed_if_more_streams_are_needed_than_the_default_allows()
    {
        var arguments = new ChildServerCommand(
            [Address.Parse("unix:/tmp/a")], [], jsonRpc: false, 200, new Knobs(), null, new Dictionary<string, string?>()).Arguments();

        Assert.Equal(["--owned", "--listen", "unix:/tmp/a", "--max-streams", "200"], arguments);
    }

    [Fact]
    public async Task A_server_that_is_not_ready_in_time_is_reported()
    {
        var command = new ChildServerCommand(
            [ChildProcess.PrivateAddress("unix")], [], jsonRpc: false, 100, new Knobs(), null, new Dictionary<string, string?>());
        var late = await Assert.ThrowsAsync<EnvironmentException>(() =>
            ChildServer.StartAsync(command, TestContext.Current.CancellationToken, TimeSpan.Zero));
        Assert.Equal("the server did not become ready within 0 s: it wrote nothing", late.Message);
    }
}
