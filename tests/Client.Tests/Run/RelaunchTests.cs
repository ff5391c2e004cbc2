using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

public class RelaunchTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task A_client_restarted_on_one_CPU_passes_on_its_output_and_exit_code()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no affinity here");
        var cpu = $"{Affinity.Available()!.Cpus[^1]}";
        var folder = Directory.CreateTempSubdirectory("re-").FullName;
        var name = Path.Combine(folder, "run.json");
        await using var server = new FakeServer();
        try
        {
            var (exit, output) = await RunAsync(folder, input: "",
                "-U", $"{server.Address}", "--client-cpus", cpu, "-c", "2", "-t", "1", "-s", "10", "-r", "1", "-n", "1000",
                "--warmup", "0s", "-o", name);

            Assert.True(exit == 0, $"{exit}: {output}");
            Assert.Contains("Requests/sec:", output);
            using var json = JsonDocument.Parse(await File.ReadAllBytesAsync(name));
            Assert.Equal(cpu, json.RootElement.GetProperty("host").GetProperty("clientCpus").GetString());
            Assert.Equal([name], Directory.GetFileSystemEntries(folder)); // the first start leaves no file either
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_client_restarted_on_one_CPU_still_reads_a_body_from_a_pipe()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the paths are Linux's");
        var sent = new ConcurrentBag<string>();
        await using var server = new FakeHttpServer();
        server.Answer = (socket, request, _) =>
        {
            sent.Add(request);
            return FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(1));
        };

        var (exit, output) = await RunAsync(Path.GetTempPath(), input: "hello",
            "http", $"{server.Address}", "--body", "/dev/stdin", "--client-cpus", $"{Affinity.Available()!.Cpus[^1]}", "-c", "1", "-t", "1",
            "-r", "1", "-n", "10", "--warmup", "0s", "--no-save");

        Assert.True(exit == 0, $"{exit}: {output}");
        Assert.NotEmpty(sent);
        Assert.All(sent, request => Assert.Contains("Content-Length: 5", request, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public void A_process_that_already_runs_on_the_requested_CPUs_is_not_restarted()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no affinity here");

        Assert.Null(Relaunch.Under(Affinity.Current()!, []));
    }

    private static async Task<(int Exit, string Output)> RunAsync(string temporary, string input, params string[] arguments)
    {
        var info = ThisProgram.StartInfo(arguments);
        info.Environment["TMPDIR"] = temporary;
        info.RedirectStandardOutput = info.RedirectStandardInput = info.RedirectStandardError = true;
        using var process = Process.Start(info)!;
        try
        {
            await process.StandardInput.WriteAsync(input);
            process.StandardInput.Close();
            var error = process.StandardError.ReadToEndAsync();
            var output = await process.StandardOutput.ReadToEndAsync().WaitAsync(Limit);
            await process.WaitForExitAsync().WaitAsync(Limit);
            return (process.ExitCode, output + await error.WaitAsync(Limit));
        }
        finally
        {
            if (!process.HasExited)
                IpcBench.Host.ProcessTree.Kill(process.Id);
        }
    }
}
