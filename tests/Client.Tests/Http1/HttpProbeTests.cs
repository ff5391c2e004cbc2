using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;

namespace IpcBench.Client.Tests.Http1;

/// <summary>Checks the request that is sent before the measurement.</summary>
public class HttpProbeTests
{
    [Fact]
    public async Task A_redirect_is_reported_before_the_measurement()
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, _) =>
            FakeHttpServer.SayAsync(socket, "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n");
        var error = await Assert.ThrowsAsync<IOException>(() => SizeAsync(HttpCallTests.Options(server.Address)));
        Assert.Equal(
            $"{server.Address} answers http 302, a redirect: measure the target of the redirect, or accept the status with "
                + "--expect-status",
            error.Message);
    }

    [Fact]
    public async Task The_expected_length_of_replies_is_taken_from_the_reply_to_the_first_request()
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, _) => FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(321));
        Assert.Equal(321, await SizeAsync(HttpCallTests.Options(server.Address)));
    }

    [Fact]
    public async Task Each_value_of_a_setting_is_an_arm()
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, _) => FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
        var options = HttpOptionsReaderTests.Read($"{server.Address}", "--socket-buffer", "64k,256k");
        var targets = await HttpTargets.ProbeAsync(options, CancellationToken.None).WaitAsync(2 * TestLoad.Patience);
        Assert.Equal([64_000, 256_000], targets.Select(target => target.Variant.Knobs.SocketBuffer));
        Assert.Equal(2, new BenchPlan(options, targets).Cells.Select(cell => cell.Record.Key.Variant).Distinct().Count());
    }

    [Theory]
    [InlineData("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n",
        "answers http 403: the request must succeed, so check the path, the headers and the server's log, or accept the status with "
            + "--expect-status")]
    [InlineData("220 smtp.example.org ESMTP\r\n", "does not answer in HTTP/1.1")]
    [InlineData("", "accepts connections but gave no reply within 0.3 s (--timeout)")]
    public async Task An_error_of_the_first_request_is_reported_in_one_sentence(string reply, string sentence)
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) => reply.Length == 0 || await FakeHttpServer.SayAsync(socket, reply);
        var timeout = reply.Length == 0 ? TimeSpan.FromSeconds(0.3) : TestLoad.Patience;
        var options = HttpCallTests.Options(server.Address) with { Timeout = timeout };
        var error = await Assert.ThrowsAsync<IOException>(() => SizeAsync(options));
        Assert.Equal($"{server.Address} {sentence}", error.Message);
    }

    private static Task<long> SizeAsync(LoadOptions options) =>
        HttpTargets.SizeAsync(options, CancellationToken.None).WaitAsync(2 * TestLoad.Patience);
}
