using System.CommandLine;
using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Client.Experiments.Ab;
using IpcBench.Client.Experiments.Article;
using IpcBench.Client.Experiments.Layers;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Cli;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Plan;

/// <summary>Checks that the times in the help of a command are those of its plan.</summary>
public sealed partial class HelpTimesTests
{
    [Theory]
    [InlineData("article")]
    [InlineData("layers")]
    public async Task The_help_of_a_command_states_the_time_of_its_plan(string command)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the times in the help are those of Linux");
        var preset = command == "article" ? ArticleExperiment.Preset : LayersExperiment.Preset;
        var stated = Minutes().Match(preset.Description);
        await StatesAsync(stated.Groups[1].Value, Typed.Read(preset));
        await StatesAsync(stated.Groups[2].Value, Typed.Read(preset, "--quick"));

        static async Task StatesAsync(string minutes, RunOptions options)
        {
            await using var servers = await Typed.ServersAsync(options);
            Equal(minutes, new BenchPlan(options, servers.Targets));
        }
    }

    [Fact]
    public void The_help_of_ab_states_the_time_of_its_plan()
    {
        var ab = new AbCommand();
        var command = new RootCommand();
        foreach (var option in ab.All)
            command.Options.Add(option);
        var options = ab.Read(command.Parse(["--base", "old {address}", "--head", "new {address}"]));
        var targets = options.Variants.SelectMany(variant => new[] { "http://localhost:1", "unix:/tmp/a.sock" }
            .Select(address => new Target(Address.Parse(address), variant)));
        Equal(Minutes().Match(AbCommand.Preset.Description).Groups[1].Value, new BenchPlan(options, [.. targets]));
    }

    // The help has whole minutes.
    private static void Equal(string minutes, BenchPlan plan) => Assert.InRange(
        plan.Estimate!.Value.TotalMinutes - int.Parse(minutes, CultureInfo.InvariantCulture), -0.6, 0.6);

    [GeneratedRegex(@"About (\d+) minutes(?:; with --quick (\d+))?\.")]
    private static partial Regex Minutes();
}
