using IpcBench.Client.Plan;
using IpcBench.Client.Run;
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
}
