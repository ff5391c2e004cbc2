using System.Globalization;
using System.Text.Json;

namespace IpcBench.EndToEnd.Tests;

public class AbTests
{
    private static string Server => "'" + Path.Combine(Tool.ClientFolder, "server", "GrpcBenchServer") + "' --listen {address}";

    [Fact]
    public async Task A_head_with_five_times_the_server_CPU_fails_the_gate()
    {
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            var (summary, file) = (Path.Combine(folder.FullName, "summary.md"), Path.Combine(folder.FullName, "run.json"));
            await File.WriteAllTextAsync(summary, "what was there\n", TestContext.Current.CancellationToken);
            await using var tool = Tool.StartWith(
                new() { ["GITHUB_STEP_SUMMARY"] = summary, ["TMPDIR"] = folder.FullName },
                "ab", "--base", Server + " --work 2ms", "--head", Server + " --work 10ms", "--transports", "unix", "-c", "4", "-r", "7",
                "-n", "40", "--warmup", "10ms", "--fail-on", "server_cpu>20%", "--fail-on", "server_cpu>900%",
                "--format", "json", "-o", file);
            var code = await tool.ExitCodeAsync();

            Assert.True(code == 4, tool.Error + tool.Output);
            using var json = JsonDocument.Parse(tool.Output);
            var verdict = json.RootElement.GetProperty("comparisons")[0].GetProperty("cells")[0].GetProperty("metrics").EnumerateArray()
                .Single(metric => metric.GetProperty("metric").GetString() == "server_cpu");
            Assert.Equal("higher", verdict.GetProperty("verdict").GetString());
            Assert.Contains("gate: FAILED, crossed: server_cpu>20% for unix, 10 B", tool.Error, StringComparison.Ordinal);
            Assert.Contains("gate: 1 passed, 1 crossed, 0 not excluded", tool.Error, StringComparison.Ordinal);
            var said = await File.ReadAllTextAsync(summary, TestContext.Current.CancellationToken);
            Assert.StartsWith("what was there\n## head against base\n", said, StringComparison.Ordinal);
            Assert.Contains("| 10 B | unix | server CPU/call |", said, StringComparison.Ordinal);
            Assert.Contains("- gate: FAILED, crossed: server_cpu>20%", said, StringComparison.Ordinal);
            // Rounds that other load spoiled are measured again.
            Assert.InRange(JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken))
                .RootElement.GetProperty("rounds").GetArrayLength(), 14, 28);
            Assert.Empty(folder.EnumerateFiles("grpcbench-*"));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_side_that_does_not_start_exits_2_with_its_last_lines()
    {
        var (code, output, error) = await Tool.RunAsync(
            "ab", "--base", Server, "--head", Server + " --no-such-option", "--transports", "unix", "--no-save");

        Assert.Equal((2, ""), (code, output));
        Assert.Matches(
            @"^the head server ended with exit code 1 before it listened at unix:\S+: its last lines:\n  there is no option "
                + @"--no-such-option \(GrpcBenchServer --help\)\n$", error);
    }

    [Fact]
    public async Task A_missing_command_is_named()
    {
        var (code, _, error) = await Tool.RunAsync("ab", "--base", Server);
        Assert.Equal(1, code);
        Assert.Equal($"Option '--head' is required. ({Tool.Client} ab --help)\n", error);
    }

    [Fact]
    public async Task A_killed_ab_leaves_no_server_behind()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks for processes in /proc");
        await using var tool = Tool.Start(
            "ab", "--base", Server, "--head", Server, "--transports", "unix", "-c", "2", "-d", "60s", "--warmup", "10ms", "--no-save");
        await tool.SeesAsync("round 1");
        var servers = Children(tool.Process.Id).Where(one => NameOf(one).StartsWith("GrpcBenchServer", StringComparison.Ordinal)).ToList();
        Assert.Equal(2, servers.Count);
        var reaper = Children(tool.Process.Id).Except(servers).Single();

        tool.Signal("KILL");

        await UntilAsync(() => servers.Append(reaper).All(one => NameOf(one).Length == 0));
    }

    private static async Task UntilAsync(Func<bool> holds)
    {
        for (var i = 0; i < 600 && !holds(); i++)
            await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.True(holds());
    }

    private static IEnumerable<int> Children(int parent) =>
        from folder in Directory.EnumerateDirectories("/proc")
        let id = int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0
        where id > 0 && Stat(id) is { } stat && stat.Parent == parent
        select id;

    // Empty for one that is gone, or that only waits to be waited for.
    private static string NameOf(int id) => Stat(id) is { State: not ("Z" or "X") } stat ? stat.Name : "";

    private static (string Name, string State, int Parent)? Stat(int id)
    {
        try
        {
            var text = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
            var (open, close) = (text.IndexOf('('), text.LastIndexOf(')'));
            var rest = text[(close + 2)..].Split(' ');
            return (text[(open + 1)..close], rest[0], int.Parse(rest[1], CultureInfo.InvariantCulture));
        }
        catch (IOException)
        {
            return null;
        }
    }
}
