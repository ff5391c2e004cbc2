using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs whose disk is full or whose folder is gone: they report the reason and keep their measurements.</summary>
public sealed class WritingTests(GivenServer server) : WritingStage(server), IClassFixture<GivenServer>
{
    [Fact]
    public async Task A_run_on_a_full_disk_is_saved_in_the_temporary_folder()
    {
        var disk = Directory.CreateDirectory(PathOf("disk")).FullName;
        var (code, output, error) = await WithDiskAsync(disk, "size=16k", $"exec {Client} {Tiny} -r 8 -o '{disk}'/run.json");
        Assert.True(code == 2, output + error);
        var kept = Assert.Single(Directory.GetFiles(Place, "grpcbench-*.json"));
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
        Assert.Matches($"^cannot write .*\\.json: {why}: choose another file with -o, or use --no-save\n$", error);
        Assert.DoesNotContain("Round", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_that_hits_a_limit_on_file_sizes_keeps_its_measurements()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "ulimit is Unix's");
        var offered = 0;
        foreach (var blocks in new[] { 1, 24, 32, 2000 })
        {
            if (blocks == 32 && offered > 0)
                continue;
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
                    + "choose another file with -o, or use --no-save\n", error);
        }
        Assert.True(offered > 0);
        Assert.Empty(Directory.GetFiles(Place, "*.tmp"));
    }

    [Fact]
    public Task A_folder_that_is_removed_during_a_run_is_created_again() => Tool.RepeatAsync(async () =>
    {
        var file = PathOf("sub/run.json");
        await using var tool = Tool.Start([.. Rounds, "-o", file]);
        await tool.SeesAsync("round 3:");
        // In one step, since the run may make a new file between the steps of Directory.Delete.
        Directory.Move(PathOf("sub"), PathOf($"removed {tool.Process.Id}"));
        Assert.Equal(0, await tool.ExitCodeAsync());
        Assert.True(File.Exists(file)); // on a busy machine the folder may be removed after the run
        Assert.Equal(12, RoundsOf(ResultsFile.Load(file)));
    });

    [Fact]
    public Task A_report_that_cannot_be_written_does_not_stop_other_reports() => Tool.RepeatAsync(async () =>
    {
        File.Delete(PathOf("sub")); // of an earlier attempt
        await using var tool = Tool.Start([.. Rounds, "-o", PathOf("run.json"), "-o", PathOf("sub/page.html"),
            "-o", PathOf("page.md")]);
        await tool.SeesAsync("round 1:");
        Directory.Delete(PathOf("sub"), recursive: true);
        await File.WriteAllTextAsync(PathOf("sub"), "", TestContext.Current.CancellationToken);
        Assert.Equal(2, await tool.ExitCodeAsync()); // on a busy machine the folder may be removed after the run
        Assert.Contains($"cannot write {PathOf("sub/page.html")}", tool.Error, StringComparison.Ordinal);
        Assert.Contains("unix answers", File.ReadAllText(PathOf("page.md")), StringComparison.Ordinal);
        Assert.Equal(12, RoundsOf(ResultsFile.Load(PathOf("run.json"))));
    });

    private async Task<(int Code, string Output, string Error)> WithDiskAsync(string mountPoint, string options, string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        if ((await ShellAsync("exec unshare -rm true")).Code != 0)
            Assert.Skip("no mount of its own may be made here");
        return await ShellAsync($"exec unshare -rm sh -c \"mount -t tmpfs -o {options} none '{mountPoint}' && {command}\"");
    }
}
