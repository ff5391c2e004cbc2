using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>
/// Checks <c>--profile</c> with a real server and a real perf(1): injected CPU time lands on its stage, and nothing is left behind.
/// </summary>
public sealed class ProfileTests : WritingStage
{
    private const double InjectedUs = 300;

    private static readonly string[] Load =
        ["--profile", "--transports", "unix", "-s", "10", "-c", "4", "-t", "1", "-r", "1", "-d", "100ms", "--warmup", "50ms"];

    [Fact]
    public async Task The_CPU_time_of_a_handler_is_in_the_stage_handler_and_sampled_windows_are_no_rounds()
    {
        await using var tool = Run("--work", "300us", "-o", PathOf("run.json"), "-o", PathOf("stacks.speedscope"));
        Assert.True(await tool.ExitCodeAsync() is 0, tool.Output + tool.Error);
        SkipIfRefused(tool);

        var run = Parsed(await File.ReadAllTextAsync(PathOf("run.json"), TestContext.Current.CancellationToken));
        Assert.Equal(1, RoundsOf(run));
        Assert.Equal("", run.Profile!.Refused);
        var cell = Assert.Single(run.Profile.Cells);
        Assert.Equal((0, 6), (cell.Cell, cell.Windows.Count));
        Assert.All(cell.Windows, window => Assert.Empty(window.Samples.Keys.Except(Stage.All.Select(stage => stage.Name))));
        var us = cell.Windows.Sum(window => window.ServerCpuNs) / cell.Windows.Sum(window => window.Calls) / 1000;
        double Share(string stage) => cell.Windows.Sum(window => window.Samples.GetValueOrDefault(stage))
            / (double)cell.Windows.Sum(window => window.Samples.Values.Sum());
        // Beside other programs perf misses part of the kernel's time for switching threads, so the other shares are too large.
        Assert.True(us * Share("handler") is >= 0.9 * InjectedUs and <= 1.25 * InjectedUs, $"{us} µs, handler {Share("handler"):P1}");
        Assert.True(Share("program") + Share("the rest") < 0.05, "stacks of .NET have stages");
        Assert.InRange(cell.Stacks.Sum(stack => stack.Length), 100, 20_000);
        Assert.Contains("CPU time of the server by stage", tool.Output, StringComparison.Ordinal);
        Assert.Empty(Left());
    }

    [Theory]
    [InlineData("INT", 130)]
    [InlineData("KILL", 137)]
    public async Task A_run_that_is_ended_during_sampling_keeps_its_rounds_and_leaves_no_process_or_file(string signal, int code)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "signals");
        await using var tool = Run("-o", PathOf("run.json"));
        bool IsSampling() => RoundIsOver() && Left().Exists(file => file.EndsWith("samples", StringComparison.Ordinal));
        bool RoundIsOver() => tool.Error.Contains("is sampled by perf", StringComparison.Ordinal);
        for (var i = 0; i < 2400 && !tool.Process.HasExited && !IsSampling(); i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        SkipIfRefused(tool);
        tool.Signal(signal);

        Assert.Equal(code, await tool.ExitCodeAsync());
        await new OwnProcesses(Place).AssertGoneAsync();
        for (var i = 0; i < 100 && Left().Count > 0; i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.Empty(Left());
        var run = Parsed(await File.ReadAllTextAsync(PathOf("run.json"), TestContext.Current.CancellationToken));
        Assert.Equal(1, RoundsOf(run));
        Assert.Equal(signal == "INT", run.Profile is not null);
    }

    [Fact]
    public async Task Without_perf_the_runtime_of_the_server_takes_the_samples()
    {
        await using var tool = Tool.StartWith(
            new() { ["TMPDIR"] = Place, ["PATH"] = Place }, [.. Load, "--work", "300us", "-o", PathOf("run.json")]);

        Assert.True(await tool.ExitCodeAsync() is 0, tool.Output + tool.Error);
        Assert.SkipWhen(tool.Error.Contains("nothing is sampled", StringComparison.Ordinal), "a server compiled ahead has no samples");
        Assert.Matches(@"--profile: [^\n]+: the \.NET runtime of the server takes the samples\n", tool.Error);
        var profile = Parsed(await File.ReadAllTextAsync(PathOf("run.json"), TestContext.Current.CancellationToken)).Profile!;
        Assert.Equal(("", RunProfile.Runtime), (profile.Refused, profile.By));
        var cell = Assert.Single(profile.Cells);
        Assert.Equal(6, cell.Windows.Count);
        double Share(string stage) => cell.Windows.Sum(window => window.Samples.GetValueOrDefault(stage))
            / (double)cell.Windows.Sum(window => window.Samples.Values.Sum());
        Assert.True(Share("handler") > 0.5, $"handler {Share("handler"):P1} although the handler works for most of a call");
        Assert.True(Share("program") + Share("the rest") < 0.05, "stacks of .NET have stages");
        Assert.Contains("The .NET runtime took the samples", tool.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_perf_and_without_a_diagnostics_port_the_run_succeeds_and_nothing_is_sampled()
    {
        var environment = new Dictionary<string, string> { ["TMPDIR"] = Place, ["PATH"] = Place, ["DOTNET_EnableDiagnostics"] = "0" };
        await using var tool = Tool.StartWith(environment, [.. Load, "--no-save"]);

        Assert.True(await tool.ExitCodeAsync() is 0, tool.Output + tool.Error);
        Assert.Matches(@"(?s)--profile: [^\n]+: nothing is sampled\n.*round 1", tool.Error);
        Assert.Matches(@"CPU time of the server by stage\n--profile: [^\n]+: nothing is sampled\n", tool.Output);
    }

    private Tool Run(params string[] more) => Tool.StartWith(new() { ["TMPDIR"] = Place }, [.. Load, .. more]);

    private static void SkipIfRefused(Tool tool) =>
        Assert.SkipUnless(tool.Error.Contains("is sampled by perf", StringComparison.Ordinal), "perf may not sample here");

    /// <summary>The files of perf, and the names of methods for it.</summary>
    private List<string> Left() => [.. Directory.EnumerateFiles(Place, "*", SearchOption.AllDirectories)
        .Where(file => Path.GetRelativePath(Place, file).Contains("perf-", StringComparison.Ordinal))];
}
