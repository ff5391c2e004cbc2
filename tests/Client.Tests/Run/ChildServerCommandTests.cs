using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class ChildServerCommandTests
{
    [Fact]
    public void Knobs_become_options_of_the_server_and_switches_are_on_by_being_there()
    {
        var knobs = new Knobs { SocketBuffer = 65536, Nagle = true, Inline = true, Http2Window = 1 << 20 };

        var arguments = new ChildServerCommand(
            [Address.Parse("unix:/tmp/a b")], [], 100, knobs, null, new Dictionary<string, string?>()).Arguments();

        Assert.Equal(["--owned", "--listen", "unix:/tmp/a b", "--socket-buffer", "65536", "--nagle", "--inline"], arguments);
    }

    [Fact]
    public void More_streams_than_the_server_allows_by_itself_are_asked_for()
    {
        var arguments = new ChildServerCommand(
            [Address.Parse("unix:/tmp/a")], [], 200, new Knobs(), null, new Dictionary<string, string?>()).Arguments();

        Assert.Equal(["--owned", "--listen", "unix:/tmp/a", "--max-streams", "200"], arguments);
    }

    [Fact]
    public async Task A_server_that_is_not_ready_in_time_is_one_sentence()
    {
        var command = new ChildServerCommand(
            [ChildProcess.PrivateAddress("unix")], [], 100, new Knobs(), null, new Dictionary<string, string?>());
        var late = await Assert.ThrowsAsync<EnvironmentException>(() =>
            ChildServer.StartAsync(command, TestContext.Current.CancellationToken, TimeSpan.FromMilliseconds(1)));
        Assert.Equal("the server did not become ready within 0 s: it said nothing", late.Message);
    }
}
