using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

public class SweepCommandTests
{
    [Fact]
    public void Every_value_is_an_arm_beside_the_runs_own_setting()
    {
        var variants = SweepCommand.Variants(Plain("--nagle", "on"), ["socket-buffer=64k,256k", "inline=on"]);
        Assert.Equal(["", "socket-buffer=64k", "socket-buffer=256k", "inline=on"], variants.Select(variant => variant.Name));
        Assert.Equal([null, 64_000, 256_000, null], variants.Select(variant => variant.Knobs.SocketBuffer));
        Assert.All(variants, variant => Assert.True(variant.Knobs.Nagle));
    }

    [Theory]
    [InlineData("socket-buffer")]
    [InlineData("weather=good")]
    [InlineData("socket-buffer=")]
    [InlineData("socket-buffer=64k,64k")]
    [InlineData("inline=perhaps")]
    public void A_sweep_that_cannot_be_is_refused(string sweep) => Assert.Throws<UsageException>(() => SweepCommand.Variants(Plain(), [sweep]));

    [Fact]
    public void A_servers_own_knob_cannot_be_varied_on_somebody_elses_server()
    {
        var theirs = Plain("-U", "unix:/tmp/x.sock");
        Assert.Throws<UsageException>(() => SweepCommand.Variants(theirs, ["backlog=10,100"]));
        Assert.Equal(3, SweepCommand.Variants(theirs, ["socket-buffer=64k,1M"]).Count);
    }

    private static RunOptions Plain(params string[] arguments)
    {
        var declared = new RunCommandOptions();
        var command = new RootCommand();
        foreach (var option in declared.All)
            command.Options.Add(option);
        return new RunOptionsReader(declared, command.Parse(arguments)).Read();
    }
}
