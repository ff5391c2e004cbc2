using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the command <c>http</c>, and a connection for every call over any protocol.</summary>
public sealed class HttpTests : IAsyncDisposable
{
    private static readonly byte[] Reply = Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world");
    private static readonly string[] Tiny = ["-r", "2", "-n", "200", "--warmup", "1ms", "-c", "4"];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;
    private readonly ConcurrentBag<string> heads = [];
    private readonly TcpListener listener = new(IPAddress.Loopback, 0);
    private readonly string url;

    public HttpTests()
    {
        listener.Start();
        url = $"http://{listener.LocalEndpoint}/hello";
        _ = AcceptAsync();
    }

    public ValueTask DisposeAsync()
    {
        listener.Dispose();
        Directory.Delete(folder, recursive: true);
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Two_named_servers_are_compared_over_a_number_of_calls()
    {
        var file = Path.Combine(folder, "run.json");
        var (code, output, error) = await Tool.RunAsync(["http", $"one={url}", $"two={url}", .. Tiny, "--reference", "two", "-o", file]);
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(file);
        Assert.Equal(["one", "two"], run.Cells.Select(cell => cell.Key.Variant));
        Assert.Equal(("tcp http1 two", 200L, 11L), (run.Options.Reference, run.Options.Calls, run.Cells[0].Key.Size));
        Assert.All(run.Rounds, round => Assert.Equal((200, 200), (round.Started, round.Ok)));
        Assert.All(run.Rounds, round => Assert.InRange(round.ReceivedBytes!.Value, 200 * Reply.Length, 204 * Reply.Length));
    }

    [Fact]
    public async Task A_connection_for_every_call_and_kept_connections_are_arms()
    {
        var file = Path.Combine(folder, "run.json");
        var (code, output, error) = await Tool.RunAsync(["http", url, "--connect-per-call", "both", "-v", .. Tiny, "-o", file]);
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(file);
        Assert.Equal(["", "connect-per-call"], run.Cells.Select(cell => cell.Key.Variant));
        Assert.All(run.Rounds, round => Assert.Equal(round.Cell == 0 ? null : 200L, round.Connections.OpenedInAll));
        Assert.Contains("Connections: one for each call, 200 opened", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Secrets_of_requests_are_sent_and_never_printed_or_kept()
    {
        var file = Path.Combine(folder, "run.json");
        var (code, output, error) = await Tool.RunAsync(
            ["http", $"{url}?key=s3cret", $"{url}?key=s3cret2", "-H", "Authorization: Bearer s3cret", "-Hcookie: s3cret", "-H",
                "Accept: text/html", .. Tiny, "-o", file]);
        Assert.True(code == 0, output + error);
        Assert.Contains(heads, head => head.Contains("?key=s3cret2 ", StringComparison.Ordinal) && head.Contains("Bearer s3cret\r\n",
            StringComparison.Ordinal));
        Assert.DoesNotContain("s3cret", output + error + await File.ReadAllTextAsync(file), StringComparison.Ordinal);
        var run = ResultsFile.Load(file);
        Assert.Equal([$"{url}?(hidden)", $"{url}?(hidden #2)"], run.Cells.Select(cell => cell.Address));
        Assert.Contains("Accept: text/html", run.CommandLine);
    }

    [Fact]
    public async Task A_missing_server_is_reported_with_the_reason()
    {
        listener.Stop();
        var (code, output, error) = await Tool.RunAsync(["http", url, .. Tiny]);
        Assert.Equal((2, ""), (code, output));
        var why = new SocketException((int)SocketError.ConnectionRefused).Message;
        // On a busy machine, a warning comes first.
        Assert.EndsWith($"cannot connect to {new Uri(url).GetLeftPart(UriPartial.Authority)}: {why}\n", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lack_of_local_ports_is_recognized_and_explained()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        if (await InNetworkOfItsOwnAsync("true") is not (0, _))
            Assert.Skip("no network namespace of its own may be made here, or ip (iproute2) is missing");
        // The calls are counted: on a busy machine a window of any length might have fewer calls than there are ports.
        var (code, output) = await InNetworkOfItsOwnAsync(
            "echo '40000 40063' >/proc/sys/net/ipv4/ip_local_port_range; echo 0 >/proc/sys/net/ipv4/tcp_tw_reuse; " +
            $"exec '{Path.Combine(Tool.ClientFolder, "GrpcBench")}' --connect-per-call --transports tcp,unix -s 10 -c 4 -n 120 -r 1 "
                + "--warmup 0s --no-save -v");
        Assert.True(code == 3, output);
        Assert.Contains("no local port: ", output, StringComparison.Ordinal);
        Assert.Contains("[ports] At tcp connect-per-call, 10 B: ", output, StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output)> InNetworkOfItsOwnAsync(string script)
    {
        try
        {
            await using var tool = Tool.StartProgram("unshare", Path.GetTempPath(), "-rn", "sh", "-c", "ip link set lo up && " + script);
            return (await tool.ExitCodeAsync(), tool.Output + tool.Error);
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return (-1, "");
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
                _ = ServeAsync(await listener.AcceptSocketAsync());
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The test is over.
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        using var open = socket;
        try
        {
            var (buffer, text) = (new byte[4096], "");
            while (await open.ReceiveAsync(buffer) is > 0 and var count)
            {
                text += Encoding.ASCII.GetString(buffer, 0, count);
                if (!text.EndsWith("\r\n\r\n", StringComparison.Ordinal))
                    continue;
                heads.Add(text);
                await open.SendAsync(Reply);
                if (text.Contains("Connection: close", StringComparison.Ordinal))
                    return;
                text = "";
            }
        }
        catch (SocketException)
        {
            // The client has gone.
        }
    }
}
