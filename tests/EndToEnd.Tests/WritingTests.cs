using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>
/// Checks runs whose disk is full, whose folder is gone or whose reader has left: they report the reason and keep their measurements.
/// </summary>
public sealed class WritingTests : IDisposable
{
    // A number of calls instead of a time, because a round of seconds would start a new server, which takes longer than the round.
    private const string Tiny = "--transports unix -s 10 -c 2 -t 1 -n 1000 --warmup 0s";
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static string Client => $"'{Path.Combine(Tool.ClientFolder, "GrpcBench")}'";

    /// <summary>The folder as a word of a shell; a file in it is <c>{Folder}/name</c>.</summary>
    private string Folder => $"'{folder}'";

    private string PathOf(string name) => Path.Combine(folder, name);

    [Fact]
    public async Task A_run_on_a_full_disk_is_saved_in_the_temporary_folder()
    {
        var disk = Directory.CreateDirectory(PathOf("disk")).FullName;
        var (code, output, error) = await WithDiskAsync(disk, "size=16k", $"exec {Client} {Tiny} -r 8 -o '{disk}'/run.json");
        Assert.True(code == 2, output + error);
        var kept = Assert.Single(Directory.GetFiles(folder, "grpcbench-*.json"));
        var why = $"\ncannot write {disk}/run.json: No space left on device";
        Assert.Contains($"{why}; the run continues and tries again after every round\n", error, StringComparison.Ordinal);
        Assert.Contains($"{why}\nthe run was saved in {kept}\n", error, StringComparison.Ordinal);
        Assert.Equal((8, "complete"), (RoundsOf(ResultsFile.Load(kept)), ResultsFile.Load(kept).Ending));
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("size=4k,nr_inodes=1", "exec {0} {1} -r 2 -o {2}/run.json", "No space left on device")]
    [InlineData("size=16k,ro", "exec {0} {1} -r 2 -o {2}/run.json", "Read-only file system")]
    [InlineData("size=16k,ro", "cd {2} && exec {0} {1} -r 2", "Read-only file system")]
    public async Task A_full_disk_is_reported_before_the_measurement(string disk, string command, string why)
    {
        var mounted = Directory.CreateDirectory(PathOf("disk")).FullName;
        var (code, output, error) = await WithDiskAsync(mounted, disk, string.Format(command, Client, Tiny, $"'{mounted}'"));
        Assert.True(code == 2, output + error);
        Assert.Matches($"^cannot write .*\\.json: {why}: choose another file with -o, or --no-save\n$", error);
        Assert.DoesNotContain("Round", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-o run.json", "run.json", "this user may not write in the folder {0}")]
    [InlineData("", @"results/\S+\.json", "there is no folder {0}/results, and it cannot be made")]
    public async Task A_results_folder_of_another_user_is_reported(string options, string file, string why)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        var (code, output, error) = await ShellAsync(
            $"chmod 755 {Folder} && cd {Folder} && mkdir -m 777 tmp && export TMPDIR={Folder}/tmp && "
                + $"exec setpriv --reuid=65534 --regid=65534 --clear-groups {Client} {Tiny} -r 2 {options}");
        if (code is 126 or 127)
            Assert.Skip("setpriv is not here, or this folder is closed to other users");
        Assert.True(code == 2, output + error);
        Assert.Matches($"^cannot write {file}: {string.Format(why, folder)}: choose another file with -o, or --no-save\n$", error);
    }

    [Fact]
    public async Task A_run_that_hits_a_limit_on_file_sizes_keeps_its_measurements()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "ulimit is Unix's");
        var offered = 0;
        foreach (var blocks in new[] { 1, 24, 32, 2000 })
        {
            var file = PathOf($"run-{blocks}.json");
            // The runtime maps its code as a file that the limit would hit too (DOTNET_EnableWriteXorExecute).
            var (code, output, error) = await ShellAsync(
                $"export DOTNET_EnableWriteXorExecute=0; ulimit -f {blocks}; exec {Client} {Tiny} -r 6 -o '{file}' --format csv");
            Assert.True(code is 0 or 2, $"{blocks}: {code} {output} {error}");
            Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
            if (code == 0)
                Assert.Equal(6, RoundsOf(ResultsFile.Load(file)));
            else if (error.Contains("follows on standard output", StringComparison.Ordinal))
            {
                offered++;
                Assert.Equal(6, RoundsOf(Parsed(output[output.IndexOf("\n{", StringComparison.Ordinal)..])));
            }
            else
                Assert.Equal($"cannot write {file}: the file would be larger than the system allows (ulimit -f): "
                    + "choose another file with -o, or --no-save\n", error);
        }
        Assert.True(offered > 0);
        Assert.Empty(Directory.GetFiles(folder, "*.tmp"));
    }

    [Fact]
    public async Task A_folder_that_is_removed_during_a_run_is_created_again()
    {
        var file = PathOf("sub/run.json");
        await using var tool = Tool.Start([.. Tiny.Split(' '), "-r", "12", "-o", file]);
        await tool.SeesAsync("round 3:");
        Directory.Delete(PathOf("sub"), recursive: true);
        Assert.Equal(0, await tool.ExitCodeAsync());
        Assert.Equal(12, RoundsOf(ResultsFile.Load(file)));
    }

    [Fact]
    public async Task A_report_that_cannot_be_written_does_not_stop_other_reports()
    {
        await using var tool = Tool.Start([.. Tiny.Split(' '), "-r", "12", "-o", PathOf("run.json"), "-o", PathOf("sub/page.html"),
            "-o", PathOf("page.md")]);
        await tool.SeesAsync("round 3:");
        Directory.Delete(PathOf("sub"), recursive: true);
        await File.WriteAllTextAsync(PathOf("sub"), "", TestContext.Current.CancellationToken);
        Assert.Equal(2, await tool.ExitCodeAsync());
        Assert.Contains($"cannot write {PathOf("sub/page.html")}", tool.Error, StringComparison.Ordinal);
        Assert.Contains("unix answers", File.ReadAllText(PathOf("page.md")), StringComparison.Ordinal);
        Assert.Equal(12, RoundsOf(ResultsFile.Load(PathOf("run.json"))));
    }

    [Fact]
    public async Task A_run_into_a_pipe_writes_one_document()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "pipes in folders are Unix's");
        var (code, output, error) = await ShellAsync(
            $"mkfifo {Folder}/p; {Client} {Tiny} -r 2 -o {Folder}/p --format csv >{Folder}/csv & cat {Folder}/p; wait $!");
        Assert.True(code == 0, output + error);
        Assert.Equal(2, RoundsOf(Parsed(output)));
    }

    [Theory]
    [InlineData("/dev/stdout", ">{0}/out.json")]
    [InlineData("/dev/stdout", "| cat >{0}/out.json")]
    [InlineData("/dev/stderr", "2>{0}/out.json")]
    public async Task A_results_file_that_is_also_standard_output_is_rejected(string file, string redirected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "devices in folders are Unix's");
        var (name, rest) = (string.Format(file, folder), string.Format(redirected, Folder));
        var (_, output, error) = await ShellAsync($"{Client} {Tiny} -r 1 -o {name} {rest}; cat {Folder}/out.json");
        Assert.Equal($"-o {name} is also the standard output or error: name another file, or use --no-save --format json "
            + $"({Tool.Client} --help)\n", output + error);
    }

    [Fact]
    public async Task A_report_into_an_open_descriptor_of_the_shell_is_appended()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "devices in folders are Unix's");
        var report = $"{Client} report '{Repository.Root}'/results/loop/echo-64.json --format runs-csv";
        var (_, alone, _) = await ShellAsync(report);
        foreach (var output in new[] { "-o /dev/stdout", "-o /dev/fd/1", $"-o /dev/fd/3 3>>{Folder}/out" })
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
            "ended, because nobody reads standard output any more and --no-save keeps no file\n", error, StringComparison.Ordinal);
        await ShellAsync($"({Client} {Tiny} -r 5 -o {Folder}/run.json; echo $? >{Folder}/code) | head -1");
        Assert.Equal((5, "0\n"), (RoundsOf(ResultsFile.Load(PathOf("run.json"))), await File.ReadAllTextAsync(PathOf("code"))));
    }

    [Fact]
    public async Task A_full_disk_at_standard_output_is_reported_with_exit_code_2()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices in folders are Unix's");
        Assert.SkipUnless(File.Exists("/dev/full"), "there is no /dev/full");
        var file = PathOf("run.json");
        var (code, output, error) = await ShellAsync($"{Client} {Tiny} -r 2 -o '{file}' >/dev/full");
        Assert.True(code == 2, output + error);
        Assert.Equal(2, RoundsOf(ResultsFile.Load(file)));
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

    // When the runtime itself needs a thread, the runtime ends the process with one of these messages.
    private static readonly string[] RuntimeEnds = ["Out of memory.", "Failed to create CoreCLR", "Process terminated."];

    // The tool runs as a separate user, because the limit counts all threads of a user.
    [Fact]
    public async Task A_lack_of_threads_prints_no_stack_trace_and_leaves_no_process()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        for (var threads = 10; threads < 46; threads += 7)
        {
            var (code, output, error) = await ShellAsync(
                $"chmod 755 {Folder} && mkdir -pm 777 {Folder}/tmp && export TMPDIR={Folder}/tmp && exec setpriv --reuid=65533 "
                    + $"--regid=65533 --clear-groups prlimit --nproc={threads} {Client} {Tiny} -r 1 --no-save");
            if (code is 126 or 127)
                Assert.Skip("setpriv or prlimit is not here, or this folder is closed to other users");
            if (Array.Exists(RuntimeEnds, error.Contains))
                continue;
            Assert.True(code is 0 or 2, $"{threads}: {code} {output} {error}");
            Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
            Assert.Empty(new OwnProcesses($"{folder}/tmp").Left());
        }
    }

    [Fact]
    public async Task The_error_names_a_socket_of_another_user()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        // Another user can reach /tmp, but not the folder of this test. No other test uses the name.
        var name = $"grpcbench-{Guid.NewGuid():N}";
        await using var server = Tool.StartServer("--listen", $"unix:/tmp/{name}.sock", "--listen", $"pipe:/{name}");
        await server.SeesAsync("ready");
        var (code, output, error) = await ShellAsync(
            $"exec setpriv --reuid=65534 --regid=65534 --clear-groups {Client} doctor -U unix:/tmp/{name}.sock -U pipe:/{name}",
                Path.GetTempPath());
        if (code is 126 or 127)
            Assert.Skip("setpriv is not here, or this folder is closed to other users");
        Assert.True(code == 2, output + error);
        Assert.Equal(2, output.Split("belongs to another user").Length - 1);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_terminal_shows_progress_and_q_ends_the_run()
    {
        await using var tool = OnTerminal($"{Client} {Tiny} -r 1000 -o {Folder}/run.json");
        await tool.SeesAsync("s left  (q ends and keeps)"); // a round has ended; the screen is drawn less often than rounds end
        await tool.Process.StandardInput.WriteAsync("q");
        await tool.Process.StandardInput.FlushAsync();
        Assert.Equal(130, await tool.ExitCodeAsync());
        Assert.InRange(RoundsOf(ResultsFile.Load(PathOf("run.json"))), 1, 999);
    }

    [Fact]
    public async Task A_background_run_leaves_keys_and_the_prompt_to_the_shell()
    {
        // wait ends with 128 and more when the terminal stops the job.
        await using var tool = OnTerminal($"{Client} {Tiny} -r 2 -o {Folder}/run.json & wait $!");
        await tool.SeesAsync("; 2 rounds of 1,000 calls");
        await tool.Process.StandardInput.WriteAsync("q");
        await tool.Process.StandardInput.FlushAsync();
        Assert.True(await tool.ExitCodeAsync() == 0, tool.Output);
        var run = ResultsFile.Load(PathOf("run.json"));
        Assert.Equal((2, "complete"), (RoundsOf(run), run.Ending));
        Assert.DoesNotContain("q ends", tool.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b[0J", tool.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_server_of_a_run_continues_when_the_run_continues_in_the_background()
    {
        await using var tool = OnTerminal($"{Client} {Tiny.Replace("-n 1000", "-d 2s", StringComparison.Ordinal)} "
            + $"-r 1 -o {Folder}/run.json\nbg\nwait $!");
        await tool.SeesAsync("measuring: unix");
        await tool.Process.StandardInput.WriteAsync("\u001a");
        await tool.Process.StandardInput.FlushAsync();
        await tool.SeesAsync("[1]+");
        Assert.True(await tool.ExitCodeAsync() == 0, tool.Output);
        var run = ResultsFile.Load(PathOf("run.json"));
        Assert.Equal("complete", run.Ending);
        Assert.All(run.Rounds, round => Assert.Equal((0, 0L), (round.Failed.Count, round.CutOff)));
    }

    // A round that other load disturbed is measured twice, and counts once.
    private static int RoundsOf(RunRecord run) => run.Rounds.Select(round => round.Number).Distinct().Count();

    private static RunRecord Parsed(string json) => ResultsFile.Parse(System.Text.Encoding.UTF8.GetBytes(json), "standard output");

    private async Task<(int Code, string Output, string Error)> WithDiskAsync(string mountPoint, string options, string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        if ((await ShellAsync("exec unshare -rm true")).Code != 0)
            Assert.Skip("no mount of its own may be made here");
        return await ShellAsync($"exec unshare -rm sh -c \"mount -t tmpfs -o {options} none '{mountPoint}' && {command}\"");
    }

    /// <summary>Starts a shell with job control, whose terminal receives what the test writes as keys.</summary>
    private Tool OnTerminal(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        File.WriteAllText(PathOf("job"), $"set -m\nexport TERM=xterm\n{command}\n");
        return Tool.StartProgram("script", folder, "-qec", $"bash '{PathOf("job")}'", "/dev/null");
    }

    private async Task<(int Code, string Output, string Error)> ShellAsync(string script, string? temporary = null)
    {
        await using var tool = Tool.StartProgram("sh", temporary ?? folder, "-c", script);
        return (await tool.ExitCodeAsync(), tool.Output, tool.Error);
    }
}
