using IpcBench.Client.Experiments.Mcp;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Cli;

public class McpCommandTests
{
    [Fact]
    public void Servers_are_commands_URLs_and_addresses_with_names_or_numbers()
    {
        var arms = McpServer.All(
            ["js=stdio:node 'a b.js' --x", "http://localhost:3000/mcp?x=1", "js=https://localhost:3001", "unix:/tmp/x=y.sock", "stdio:a",
                "a=stdio:a"],
            ["b", "c d"]);
        Assert.Equal(["js", "", "js", "", "", "a", "#2"], arms.Select(arm => arm.Name));
        Assert.Equal(["stdio", "tcp", "tls", "unix", "stdio", "stdio", "stdio"], arms.Select(arm => arm.Address.Kind));
        Assert.Equal(["node", "a b.js", "--x"], arms[0].Words);
        Assert.Equal(["b", "c d"], arms[^1].Words);
        Assert.Equal([null, "/mcp?x=1", "/", null, null, null, null], arms.Select(arm => arm.Path));
        Assert.Equal(new Address.Unix("/tmp/x=y.sock"), arms[3].Address);
        Assert.Equal(
            ["stdio:js (node a b.js --x)", "http://localhost:3000/mcp?(hidden)", "https://localhost:3001/", "unix:/tmp/x=y.sock"],
            arms.Take(4).Select(arm => arm.Shown));
    }

    [Fact]
    public void The_address_of_a_command_with_a_secret_says_once_that_the_secret_is_hidden()
    {
        var arm = McpServer.All([], ["node", "s.js", "--header", "X: s3cret", "-v"]).Single();
        var options = Typed.Read(McpCommand.Preset);
        var target = new Target(
            arm.Address, options.Variants[0], Protocol: ProtocolTable.JsonRpc, Tool: new ToolCall("add", "{}"), ReplySize: 1);
        Assert.Equal(
            "stdio:node s.js --header X: (hidden) -v", PlannedCells.For(options, [target]).Single().Record.Address);
    }

    [Theory]
    [InlineData("mcp needs a server, as in GrpcBench mcp -- node server.js, or GrpcBench mcp http://localhost:3000/mcp")]
    [InlineData("'nonsense' is no server: write stdio:COMMAND, -- COMMAND, http://host:port/path, tcp://host:port, unix:/path or "
        + "pipe:/name", "nonsense")]
    [InlineData("stdio: is empty: write the command that starts a server", "stdio:")]
    [InlineData("two servers over stdio are named 'a': give each server its own name", "a=stdio:x", "a=stdio:y")]
    [InlineData("the same server is given twice: give each a name, as in a=SERVER b=SERVER", "stdio:x", "stdio:x")]
    [InlineData("'http://(hidden)@localhost:1/' contains a user name, which is not supported", "http://me:secret@localhost:1/")]
    public void A_wrong_server_is_refused(string sentence, params string[] servers) =>
        Assert.Equal(sentence, Assert.Throws<UsageException>(() => McpServer.All(servers, [])).Message);
}
