namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs of another user, who may not write, may have few threads, or may not use a socket.</summary>
public sealed class OtherUserTests : WritingStage
{
    // When the runtime itself gets no thread, it ends the process with one of these messages.
    private static readonly string[] RuntimeEnds = ["Out of memory.", "Failed to create CoreCLR", "Process terminated."];

    [Theory]
    [InlineData("-o run.json", "run.json", "this user may not write in the folder {0}")]
    [InlineData("", @"results/\S+\.json", "the folder {0}/results does not exist and cannot be made")]
    public async Task A_results_folder_of_another_user_is_reported(string options, string file, string why)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        var (code, output, error) = await ShellAsync(
            $"chmod 755 {Folder} && cd {Folder} && mkdir -m 777 tmp && export TMPDIR={Folder}/tmp && "
                + $"exec setpriv --reuid=65534 --regid=65534 --clear-groups {Client} {OwnServer} -r 2 {options}");
        if (code is 126 or 127)
            Assert.Skip("setpriv is not here, or this folder is closed to other users");
        Assert.True(code == 2, output + error);
        Assert.Matches($"^cannot write {file}: {string.Format(why, Place)}: choose another file with -o, or use --no-save\n$", error);
    }

    // The tool runs as a separate user, because the limit counts all threads of a user.
    [Fact]
    public async Task A_lack_of_threads_prints_no_stack_trace_and_leaves_no_process()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        for (var threads = 10; threads < 46; threads += 7)
        {
            var (code, output, error) = await ShellAsync(
                $"chmod 755 {Folder} && mkdir -pm 777 {Folder}/tmp && export TMPDIR={Folder}/tmp && exec setpriv --reuid=65533 "
                    + $"--regid=65533 --clear-groups prlimit --nproc={threads} {Client} {OwnServer} -r 1 --no-save");
            if (code is 126 or 127)
                Assert.Skip("setpriv or prlimit is not here, or this folder is closed to other users");
            var processes = new OwnProcesses($"{Place}/tmp");
            if (Array.Exists(RuntimeEnds, error.Contains))
            {
                // A tool that the runtime ended cannot end its server, and a server without threads may hang.
                processes.Kill();
                await processes.AssertGoneAsync();
                continue;
            }
            Assert.True(code is 0 or 2, $"{threads}: {code} {output} {error}");
            Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
            await processes.AssertGoneAsync();
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
}
