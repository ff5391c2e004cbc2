using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs and reports whose output is a pipe, a device or an open descriptor, and whose reader may have left.</summary>
public sealed class OutputTests(GivenServer server) : WritingStage(server), IClassFixture<GivenServer>
{
    [Fact]
    public async Task A_results_file_that_is_a_pipe_gets_one_document()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "pipes in folders are Unix's");
        var (code, output, error) = await ShellAsync(
            $"mkfifo {Folder}/p; {Client} {Tiny} -r 2 -o {Folder}/p --format csv >{Folder}/csv & cat {Folder}/p; wait $!");
        Assert.True(code == 0, output + error);
        Assert.Equal(2, RoundsOf(Parsed(output)));
    }

    [Fact]
    public async Task A_run_whose_file_could_not_be_read_again_is_refused_before_its_first_round()
    {
        var sizes = string.Join(',', Enumerable.Range(1, 1001));
        await using var tool = Tool.Start("--transports", "tcp,unix", "-s", sizes, "-c", "1", "-r", "1", "--no-save");
        Assert.Equal(1, await tool.ExitCodeAsync());
        Assert.StartsWith("the results of this run could not be read again (the file lists more cells or rounds than a run can have)",
            tool.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/dev/stdout", ">{0}/out.json")]
    [InlineData("/dev/stdout", "| cat >{0}/out.json")]
    [InlineData("/dev/stderr", "2>{0}/out.json")]
    [InlineData("/proc/self/fd/1", "| cat >{0}/out.json")]
    public async Task A_results_file_that_is_also_standard_output_is_rejected(string file, string redirected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "devices in folders are Unix's");
        var (name, rest) = (string.Format(file, Place), string.Format(redirected, Folder));
        var (_, output, error) = await ShellAsync($"{Client} {Tiny} -r 1 -o {name} {rest}; cat {Folder}/out.json");
        Assert.Equal($"-o {name} is the same file as standard output or standard error: name another file, or use --no-save --format json "
            + $"({Tool.Client} --help)\n", output + error);
    }

    [Fact]
    public async Task A_report_written_to_a_descriptor_of_the_shell_is_appended_to_its_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "devices in folders are Unix's");
        var report = $"{Client} report '{Repository.Root}'/results/loop/echo-64.json --format runs-csv";
        var (_, alone, _) = await ShellAsync(report);
        foreach (var output in new[] { "-o /dev/stdout", "-o /proc/self/fd/1", $"-o /dev/fd/3 3>>{Folder}/out" })
        {
            var (_, all, error) = await ShellAsync($"{{ echo first; {report} {output}; }} >{Folder}/out; echo last >>{Folder}/out; "
                + $"{report} {output} >>{Folder}/out; cat {Folder}/out");
            Assert.True(alone.Length > 0 && all == $"first\n{alone}last\n{alone}", output + all + error);
        }
    }

    [Fact]
    public async Task A_report_can_be_written_into_a_process_substitution()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "devices in folders are Unix's");
        var (code, output, error) = await ShellAsync(
            $"bash -c \"{Client} report {Repository.Root}/results/loop/echo-64.json --format runs-csv -o >(cat >&2); wait\"");
        Assert.True(code == 0 && error.StartsWith("NAME,RUN 0,", StringComparison.Ordinal), output + error);
    }

    [Fact]
    public async Task A_closed_standard_output_ends_only_a_run_without_a_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells of a closed pipe");
        var (_, output, error) = await ShellAsync($"{Client} {Tiny} -r 100000 -v --no-save | head -1");
        Assert.NotEmpty(output);
        Assert.Contains(
            "the run ended, because nobody reads standard output any more and --no-save keeps no file\n", error, StringComparison.Ordinal);
        await ShellAsync($"({Client} {Tiny} -r 2 -o {Folder}/run.json; echo $? >{Folder}/code) | head -1");
        Assert.Equal((2, "0\n"), (RoundsOf(ResultsFile.Load(PathOf("run.json"))), await File.ReadAllTextAsync(PathOf("code"))));
    }

    [Fact]
    public async Task A_full_disk_at_standard_output_is_reported_with_exit_code_2()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices in folders are Unix's");
        Assert.SkipUnless(File.Exists("/dev/full"), "there is no /dev/full");
        var file = PathOf("run.json");
        var (code, output, error) = await ShellAsync($"{Client} {Tiny} -r 1 -o '{file}' >/dev/full");
        Assert.True(code == 2, output + error);
        Assert.Equal(1, RoundsOf(ResultsFile.Load(file)));
        foreach (var command in new[] { $"report '{file}'", $"report '{file}' --format html -o /dev/full", $"compare '{file}' '{file}'",
            "--help", "--version", "doctor" })
        {
            (code, output, error) = await ShellAsync($"{Client} {command} >/dev/full");
            Assert.True(code == 2, command + output + error);
            var where = command.EndsWith("/dev/full", StringComparison.Ordinal)
                ? "/dev/full: No space left on device" : "to standard output: No space left on device";
            Assert.Equal($"cannot write {where}\n", error);
        }
        Assert.Equal(0, (await ShellAsync($"{Client} report '{file}' 2>/dev/full")).Code);
    }
}
