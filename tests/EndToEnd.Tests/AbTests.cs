using System.Text.Json;

namespace IpcBench.EndToEnd.Tests;

public sealed class AbTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private static string Server => "'" + Path.Combine(Tool.ClientFolder, "server", "GrpcBenchServer") + "' --listen {address}";

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_gate_fails_if_the_head_build_uses_five_times_the_server_CPU()
    {
        var (summary, file) = (Path.Combine(folder, "summary.md"), Path.Combine(folder, "run.json"));
        await File.WriteAllTextAsync(summary, "what was there\n", TestContext.Current.CancellationToken);
        await using var tool = Tool.StartWith(
            new() { ["GITHUB_STEP_SUMMARY"] = summary, ["TMPDIR"] = folder },
            "ab", "--base", Server + " --work 1ms", "--head", Server + " --work 5ms", "--transports", "unix", "-c", "4", "-r", "6",
            "-n", "20", "--warmup", "1ms", "--fail-on", "server_cpu>20%", "--fail-on", "server_cpu>900%",
            "--format", "json", "-o", file);
        var code = await tool.ExitCodeAsync();

        Assert.True(code == 4, tool.Error + tool.Output);
        using var json = JsonDocument.Parse(tool.Output);
        var verdict = json.RootElement.GetProperty("comparisons")[0].GetProperty("cells")[0].GetProperty("metrics").EnumerateArray()
            .Single(metric => metric.GetProperty("metric").GetString() == "server_cpu");
        Assert.Equal("higher", verdict.GetProperty("verdict").GetString());
        Assert.Contains("gate: FAILED, crossed: server_cpu>20% for unix, 10 B", tool.Error, StringComparison.Ordinal);
        Assert.Contains("gate: 1 passed, 1 crossed, 0 undecided", tool.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("server: ", tool.Error, StringComparison.Ordinal); // a server that works shows no log
        var said = await File.ReadAllTextAsync(summary, TestContext.Current.CancellationToken);
        Assert.StartsWith("what was there\n## head against base\n", said, StringComparison.Ordinal);
        Assert.Contains("| 10 B | unix | server CPU/call |", said, StringComparison.Ordinal);
        Assert.Contains("- gate: FAILED, crossed: server_cpu>20%", said, StringComparison.Ordinal);
        // Rounds that other load spoiled are measured again.
        Assert.InRange(JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken))
            .RootElement.GetProperty("rounds").GetArrayLength(), 12, 24);
        Assert.Empty(Directory.EnumerateFiles(folder, "grpcbench-*"));
        await AssertLeavesNothingAsync();
    }

    [Fact]
    public async Task A_side_that_does_not_start_is_reported_with_its_last_lines()
    {
        await using var tool = Tool.StartWith(
            new() { ["TMPDIR"] = folder },
            "ab", "--base", Server, "--head", Server + " --no-such-option", "--transports", "unix", "--no-save");
        Assert.Equal((2, ""), (await tool.ExitCodeAsync(), tool.Output));
        Assert.Matches(
            @"^the head server ended with exit code 1 before it listened at unix:[^\n]+: its last lines:\n  there is no option "
                + @"--no-such-option \(GrpcBenchServer --help\)\n$", tool.Error);
        await AssertLeavesNothingAsync();
    }

    [Fact]
    public async Task A_missing_command_of_a_side_is_reported()
    {
        var (code, _, error) = await Tool.RunAsync("ab", "--base", Server);
        Assert.Equal(1, code);
        Assert.Equal($"Option '--head' is required. ({Tool.Client} ab --help)\n", error);
    }

    private Task AssertLeavesNothingAsync() =>
        OperatingSystem.IsLinux() ? new OwnProcesses(folder).AssertGoneAsync() : Task.CompletedTask;
}
