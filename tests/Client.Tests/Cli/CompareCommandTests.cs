using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Run;
using IpcBench.Host;

namespace IpcBench.Client.Tests;

public sealed class CompareCommandTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public void The_exit_code_is_4_for_a_drop_beyond_the_limit_and_0_for_equal_runs()
    {
        var (before, equal, slow) = (Save(1000), Save(1005), Save(700));
        Assert.Equal(ExitCode.Ok, Invoke(before, equal, "--fail-on", "rps<-5%", "--strict"));
        Assert.Equal(ExitCode.Ok, Invoke(before, slow));
        Assert.Equal(ExitCode.Gate, Invoke(before, slow, "--fail-on", "rps<-5%"));
    }

    [Fact]
    public void The_exit_code_with_too_few_rounds_is_0_and_with_the_option_strict_4()
    {
        var (before, slow) = (Save(1000, rounds: 2), Save(500, rounds: 2));
        Assert.Equal(ExitCode.Ok, Invoke(before, slow, "--fail-on", "rps<-5%"));
        Assert.Equal(ExitCode.Gate, Invoke(before, slow, "--fail-on", "rps<-5%", "--strict"));
    }

    [Fact]
    public void The_exit_code_is_4_for_a_missing_cell_or_a_run_that_ended_early()
    {
        var (before, ended, other) = (Save(1000), Save(1000, ending: "interrupted"), Save(1000, size: 20));
        Assert.Equal(ExitCode.Gate, Invoke(before, ended, "--fail-on", "rps<-5%"));
        Assert.Equal(ExitCode.Gate, Invoke(before, other, "--fail-on", "rps<-5%"));
        Assert.Equal(ExitCode.Ok, Invoke(before, ended));
        Assert.Equal(ExitCode.Ok, Invoke(before, before, "--fail-on", "rps<-5%", "--format", "json"));
    }

    [Fact]
    public void Limits_are_judged_across_different_machines_only_with_the_option_across()
    {
        var (before, other) = (Save(1000), Save(700, cpu: "another"));
        var refusal = Assert.Throws<UsageException>(() => Invoke(before, other, "--fail-on", "rps<-5%")).Message;
        Assert.Equal(
            "--fail-on does not judge runs of different machines (CPU: 'cpu' and 'another'): add --across to compare machines", refusal);
        Assert.Equal(ExitCode.Gate, Invoke(before, other, "--fail-on", "rps<-5%", "--across"));
        Assert.Equal(ExitCode.Ok, Invoke(before, other));
    }

    [Fact]
    public void Wrong_input_is_rejected_with_one_sentence()
    {
        var file = Save(1000);
        foreach (var option in new[] { "--strict", "--across" })
        {
            Assert.Equal($"{option} is for --fail-on: add --fail-on, or leave out {option}",
                Assert.Throws<UsageException>(() => Invoke(file, file, option)).Message);
        }
        Assert.Equal(
            "--fail-on: 'rps<5%' would fail when nothing changed: write rps<-5% for a fall, rps>5% for a rise",
            Assert.Throws<UsageException>(() => Invoke(file, file, "--fail-on", "rps<5%")).Message);
        Assert.Equal(
            "--format 'pdf' is unknown: write one of text, markdown, json",
            Assert.Throws<UsageException>(() => Invoke(file, file, "--format", "pdf")).Message);
        var missing = Path.Combine(folder, "missing.json");
        Assert.Equal($"there is no file {missing}", Assert.Throws<EnvironmentException>(() => Invoke(file, missing)).Message);
    }

    [Fact]
    public void The_extension_of_the_output_file_decides_the_format_of_the_report()
    {
        var (results, page) = (Save(1000), Path.Combine(folder, "report.html"));
        Assert.Equal(ExitCode.Ok, Report(results, "-o", page));
        Assert.StartsWith("<!doctype html>", File.ReadAllText(page), StringComparison.Ordinal);
        foreach (var format in Reports.All.Select(report => report.Format))
        {
            var (ending, named) = (Path.Combine(folder, "report." + format), Path.Combine(folder, "named"));
            Assert.Equal((ExitCode.Ok, ExitCode.Ok), (Report(results, "-o", ending), Report(results, "--format", format, "-o", named)));
            Assert.Equal(File.ReadAllText(named), File.ReadAllText(ending));
        }
        foreach (var (ending, format) in new[] { ("xml", "junit"), ("prom", "prometheus"), ("txt", "text"), ("htm", "html") })
        {
            var (byEnding, named) = (Path.Combine(folder, "short." + ending), Path.Combine(folder, "named"));
            Assert.Equal((ExitCode.Ok, ExitCode.Ok), (Report(results, "-o", byEnding), Report(results, "--format", format, "-o", named)));
            Assert.Equal(File.ReadAllText(named), File.ReadAllText(byEnding));
        }
        var below = Path.Combine(results, "x.md");
        var why = $"the folder {results} does not exist and cannot be made";
        Assert.Equal($"cannot write {below}: {why}", Assert.Throws<EnvironmentException>(() => Report(results, "-o", below)).Message);
        Assert.Equal(
            $"--format 'pdf' is unknown: write one of {string.Join(", ", Reports.All.Select(report => report.Format))}",
            Assert.Throws<UsageException>(() => Report(results, "--format", "pdf")).Message);
    }

    [Fact]
    public void An_unknown_extension_is_rejected_with_the_known_extensions()
    {
        var (results, picture) = (Save(1000), Path.Combine(folder, "a.png"));
        var refusal = Assert.Throws<UsageException>(() => Report(results, "-o", picture)).Message;
        Assert.StartsWith("-o: no format has the extension '.png': add --format, or use one of .json, .txt, .md, .htm, .xml, .prom, "
            + ".text, ", refusal, StringComparison.Ordinal);
        Assert.All(Reports.All, report => Assert.Contains("." + report.Format, refusal, StringComparison.Ordinal));
        Assert.False(File.Exists(picture));
        Assert.Equal(ExitCode.Ok, Report(results, "--format", "svg", "-o", picture));
    }

    private static int Report(params string[] arguments) =>
        ReportCommand.Create().Parse(arguments).Invoke(new() { EnableDefaultExceptionHandler = false });

    private static int Invoke(params string[] arguments) =>
        CompareCommand.Create().Parse(arguments).Invoke(new() { EnableDefaultExceptionHandler = false });

    private string Save(
        double rate, int rounds = 7, string cpu = "cpu", string ending = "complete", long size = 10)
    {
        var path = Path.Combine(folder, $"{Guid.NewGuid():N}.json");
        ResultsFile.Save(path, new RunRecord
        {
            ToolVersion = "1",
            Started = DateTimeOffset.UnixEpoch,
            Ending = ending,
            CommandLine = [],
            Seed = 1,
            Options = new RunOptionsRecord { Rounds = rounds, DurationNs = 1, WarmupNs = 1, TimeoutNs = 1, Threads = 1 },
            Host = new HostInfo { CpuModel = cpu },
            Cells = [new Cell { Key = new CellKey { Transport = "unix", Size = size, Connections = 4 }, Address = "unix:/x" }],
            Rounds = [.. Enumerable.Range(1, rounds).Select(number => RoundOf(number, rate * (1 + 0.0005 * number)))],
        });
        return path;
    }

    private static Measurement RoundOf(int number, double rate) => MadeUp.Round(number, calls: (long)(10 * rate)) with
    {
        WindowNs = 10_000_000_000,
    };
}
