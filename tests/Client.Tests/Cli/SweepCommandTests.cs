using IpcBench.Client.Cli;
using IpcBench.Client.Experiments.Sweep;
using IpcBench.Client.Loads.Find;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Cli;

public class SweepCommandTests
{
    [Fact]
    public void Every_value_of_a_sweep_is_an_arm_beside_an_arm_with_the_settings_of_the_run()
    {
        var variants = SweepCommand.Variants(Plain("--nagle", "on"), ["socket-buffer=64k,256k", "inline=on"]);
        Assert.Equal(["", "socket-buffer=64k", "socket-buffer=256k", "inline=on"], variants.Select(variant => variant.Name));
        Assert.Equal([null, 64_000, 256_000, null], variants.Select(variant => variant.Knobs.SocketBuffer));
        Assert.All(variants, variant => Assert.True(variant.Knobs.Nagle));
    }

    [Theory]
    [InlineData("socket-buffer", "--vary 'socket-buffer' needs a knob and its values, as in socket-buffer=64k,256k,1M")]
    [InlineData("socket-buffer=", "--vary '' has an empty entry")]
    [InlineData("socket-buffer=64k,64k", "--vary '64k,64k' names the same value twice")]
    [InlineData("inline=perhaps", "--inline 'perhaps' is unknown: write one of on, off")]
    public void An_impossible_sweep_is_rejected(string sweep, string sentence) =>
        Assert.Equal(sentence, Assert.Throws<UsageException>(() => SweepCommand.Variants(Plain(), [sweep])).Message);

    [Fact]
    public void The_sockets_of_raw_echoes_cannot_be_varied()
    {
        var plain = Plain();
        Assert.Equal("--sockets bare serves only raw echoes: use bare with GrpcBench echo, or write dotnet or loop",
            RunOptionsCheck.OfArms(plain with { Variants = SweepCommand.Variants(plain, ["sockets=bare"]) }));
    }

    [Fact]
    public void A_setting_that_changes_nothing_in_the_swept_server_is_refused()
    {
        var plain = Plain("--sockets", "loop");
        Assert.Equal(
            "--eager-receive changes nothing for the server's sockets 'loop': write --sockets dotnet, or leave out --eager-receive",
            RunOptionsCheck.OfArms(plain with { Variants = SweepCommand.Variants(plain, ["eager-receive=on"]) }));
    }

    [Fact]
    public void The_option_find_adds_a_search_for_every_value_of_a_sweep()
    {
        var plain = Plain("--find", "p99<1ms", "--transports", "tcp", "-s", "10");
        var varied = plain with { Variants = SweepCommand.Variants(plain, ["socket-buffer=64k,256k"]) };
        Assert.Equal(3, new BenchPlan(varied,
            [.. varied.Variants.Select(variant => new Target(new Address.Tcp("a", 1), variant))])
                .Cells.Count(cell => cell.Given is SearchLoad));
    }

    [Fact]
    public void An_unknown_knob_is_rejected_with_the_known_knobs() => Assert.Equal(
        $"there is no knob 'weather': write one of {string.Join(", ", Knob.OfAll.Select(knob => knob.Name))}",
        Assert.Throws<UsageException>(() => SweepCommand.Variants(Plain(), ["weather=good"])).Message);

    [Fact]
    public void A_knob_of_the_server_cannot_be_varied_on_a_given_server()
    {
        var theirs = Plain("-U", "unix:/tmp/x.sock");
        Assert.Equal(
            "--vary backlog changes the server, but with -U this tool does not start the server: leave out -U",
            Assert.Throws<UsageException>(() => SweepCommand.Variants(theirs, ["backlog=10,100"])).Message);
        Assert.Equal(3, SweepCommand.Variants(theirs, ["socket-buffer=64k,1M"]).Count);
    }

    [Fact]
    public void A_sweep_and_a_knob_with_several_values_exclude_each_other()
    {
        var both = Plain("--sockets", "dotnet,loop", "--nagle", "on");
        Assert.Equal(["sockets=dotnet", "sockets=loop"], both.Variants.Select(variant => variant.Name));
        Assert.Equal(["dotnet", "loop"], both.Variants.Select(variant => variant.Knobs.Sockets));
        Assert.All(both.Variants, variant => Assert.True(variant.Knobs.Nagle));
        Assert.Equal("", Assert.Single(Plain("--sockets", "loop").Variants).Name);
        Assert.Equal(
            "--vary sets the arms to compare: give every other setting one value",
            Assert.Throws<UsageException>(() => SweepCommand.Variants(both, ["inline=on"])).Message);
    }

    [Fact]
    public void Every_amount_of_work_is_compared_separately_and_with_the_same_arms()
    {
        var options = Plain("--work", "0,10us,1.5ms", "--transports", "tcp,unix", "-s", "10");
        Assert.Equal(["work=0", "work=10us", "work=1.5ms"], options.Variants.Select(variant => variant.Name));
        Assert.Equal([0, 10, 1500], options.Variants.Select(variant => variant.Knobs.Work.TotalMicroseconds));
        Target[] targets = [.. from variant in options.Variants
                               from address in new[] { "http://localhost:1", "unix:x" }
                               select new Target(Address.Parse(address), variant)];
        var plan = new BenchPlan(options, targets);
        Assert.Equal(["tcp", "unix"], plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct());
        Assert.Equal(["10 B, work 0", "10 B, work 10us", "10 B, work 1.5ms"], plan.Cells.Select(cell => cell.Record.Key.Work).Distinct());
        Assert.Equal(3, plan.Claims); // unix against tcp for each amount of work
    }

    [Theory]
    [InlineData("30")]
    [InlineData("61s")]
    [InlineData("much")]
    public void Work_without_a_unit_or_above_a_minute_is_rejected(string text) =>
        Assert.Equal(
            $"--work '{text}' " + (text == "much" ? "is not a duration such as 500ms, 20s or 2m"
                : "is not a time with a unit, up to a minute: write 0, 30us or 1.5ms"),
            Typed.Refused(Preset.Main, "--work", text));

    private static RunOptions Plain(params string[] arguments) => Typed.Read(Preset.Main, arguments);
}
