using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks a real server that has too few connections: nginx, which accepts excess connections and closes them.</summary>
public sealed class NginxTests : IDisposable
{
    private const int Connections = 12; // of which nginx takes one for its listener and one for its signals
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_call_ends_if_the_server_has_too_few_connections_and_refused_calls_fail_as_lost(bool perCall)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the foreign servers are installed on Linux only");
        Assert.SkipUnless(File.Exists("/usr/sbin/nginx"), "no nginx here (Debian: apt-get install nginx)");
        var port = Ports.Unused();
        await using var nginx = Start(port);
        while (!File.Exists(Path.Combine(folder, "pid"))) // nginx writes the file when it listens
        {
            Assert.False(nginx.Process.HasExited, nginx.Error);
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
        var file = Path.Combine(folder, "run.json");
        string[] more = perCall ? ["--connect-per-call"] : [];
        await using var tool = Tool.Start(["http", $"http://127.0.0.1:{port}/", "-c", "50", "-t", "1", "-n", "50", "--timeout", "10s",
            "-r", "1", "--warmup", "0s", "-o", file, .. more]);
        // Each reply takes nginx 1 s (limit_rate), so that all calls are in flight together on any machine.
        // nginx closes idle connections to get free ones. The other connections make the calls of a connection that is
        // closed before its first call. So fewer than 50 may be active.
        var code = await tool.ExitCodeAsync();
        Assert.True(code == 3 || !perCall && code == 0, tool.Output + tool.Error);
        var round = ResultsFile.Load(file).Rounds.Single();
        Assert.Equal(50, round.Started);
        Assert.Equal(round.Started, round.Ok + round.Failed.Values.Sum() + round.CutOff);
        Assert.InRange(round.Ok, 1, perCall ? 49 : 50);
        Assert.All(round.Failed.Keys, kind => Assert.Equal("connection lost", kind));
        if (!perCall)
            Assert.InRange(round.Connections.Active, 1, 50);
    }

    private Tool Start(int port)
    {
        var configuration = Path.Combine(folder, "nginx.conf");
        File.WriteAllText(configuration, $$"""
            daemon off; master_process off; pid "{{folder}}/pid"; error_log "{{folder}}/log";
            events { worker_connections {{Connections}}; }
            http { access_log off; client_body_temp_path "{{folder}}/b"; proxy_temp_path "{{folder}}/p"; fastcgi_temp_path "{{folder}}/f";
              uwsgi_temp_path "{{folder}}/u"; scgi_temp_path "{{folder}}/s";
              server { listen 127.0.0.1:{{port.ToString(CultureInfo.InvariantCulture)}};
                location / { limit_rate 1000; return 200 "{{new string('x', 1500)}}"; } } }
            """);
        return Tool.StartProgram("/usr/sbin/nginx", folder, "-p", folder, "-e", $"{folder}/log", "-c", configuration);
    }
}
