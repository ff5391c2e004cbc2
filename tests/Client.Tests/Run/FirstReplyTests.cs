using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks the call that is made before a run, with answers that cannot be measured.</summary>
public sealed class FirstReplyTests : IDisposable
{
    private const string Method = "a.B/C";
    private const string Unreadable = " answers a.B/C with OK but without a readable message (no message, or a compressed one)";

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("first-");

    public void Dispose() => folder.Delete(recursive: true);

    [Theory]
    [InlineData(new byte[] { 1, 0, 0, 0, 2, 9, 9 })] // compressed
    [InlineData(new byte[] { 7, 0, 0, 0, 2, 9, 9 })] // an unknown flag
    [InlineData(new byte[] { 0, 0, 0, 0, 9, 1 })] // a length beyond the body
    [InlineData(new byte[] { 0, 0xFF, 0xFF, 0xFF, 0xFF, 1 })]
    [InlineData(new byte[] { 0, 0, 0 })]
    [InlineData(new byte[0])]
    public async Task An_unreadable_reply_is_reported_before_the_run(byte[] body)
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, body), .. Frames.Trailers(stream)],
        };
        Assert.Equal(server.Address + Unreadable, await RefusalAsync(server));
    }

    [Theory]
    [InlineData("502", "HTTP status 502", null)]
    [InlineData("200", "no status", "abc")]
    [InlineData("200", "no status", null)]
    public async Task An_answer_without_gRPC_is_not_reported_as_a_missing_method(string http, string shown, string? status)
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => Frames.Headers(
                stream, true, [(":status", http), .. status is null ? Array.Empty<(string, string)>() : [("grpc-status", status)]]),
        };
        Assert.Equal($"{server.Address} does not answer a.B/C in gRPC ({shown}): is it a gRPC server?",
            await RefusalAsync(server));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_without_HTTP_2_is_reported_with_advice(bool closes)
    {
        // SocketsHttpHandler reads the answer before or after its first request, and reports different errors.
        await using var server = new FakeServer
        {
            Greeting = "HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray(),
            Closes = _ => closes,
            Answer = (_, _) => [],
        };
        Assert.Equal($"{server.Address} does not answer: HTTP_1_1_REQUIRED. "
            + "The server speaks HTTP/1.1 here, and gRPC needs HTTP/2: "
            + "try https:// for a port with TLS, or in ASP.NET Core add --Kestrel:EndpointDefaults:Protocols Http2 to the command of "
            + "the server, or --contentRoot . if "
            + "appsettings.json beside the program turns on HTTP/2", await RefusalAsync(server));
    }

    [Fact]
    public async Task An_answer_without_an_end_is_reported()
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, [0, 0, 0, 0, 2])],
        };
        Assert.Equal($"{server.Address} began to answer a.B/C but did not end within 5 s. Is a gRPC server running there?",
            await RefusalAsync(server, "--timeout", "1s"));
    }

    [Theory]
    [InlineData("tcp", true)]
    [InlineData("unix", false)]
    public async Task The_error_of_a_broken_off_answer_names_server_and_method(string kind, bool reset)
    {
        await using var server = new FakeServer(kind)
        {
            Answer = (stream, _) => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, [0, 0, 0, 0, 2]), .. Frames.Ping()],
        };
        using var caller = new GrpcCaller(server.Address, new ConnectorOptions()) { Patience = TestLoad.Patience };
        var answer = caller.CallAsync("/" + Method, new byte[3], TestContext.Current.CancellationToken);
        // The client has read the headers when it answers the PING behind them. A reset would discard unread bytes.
        await server.Pinged.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
        server.Kill(1, reset);
        var told = await Assert.ThrowsAsync<IOException>(() => answer);
        Assert.StartsWith($"{server.Address} ended its answer to a.B/C early: ", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Too_large_header_fields_are_reported()
    {
        var fields = Frames.Block(
            [(":status", "200"), .. Enumerable.Range(0, 5_000).Select(number => ($"x-{number}", new string('v', 20)))]);
        await using var server = new FakeServer
        {
            Answer = (stream, _) =>
            [
                .. Frames.Frame(1, 0, stream), // HEADERS, before the CONTINUATION frames
                .. fields.Chunk(16_000).SelectMany(part => Frames.Frame(9, 0, stream, part)), .. Frames.Frame(9, Frames.EndHeaders, stream),
            ],
        };
        var told = await RefusalAsync(server);
        Assert.Contains("headers length exceeded the set limit", told, StringComparison.Ordinal);
        Assert.DoesNotContain("aborted", told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_incomplete_first_message_of_a_stream_is_reported()
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, [0, 0, 0, 0, 40, .. new byte[7]])],
        };
        await TestLoad.InTheEndAsync(async () =>
        {
            using var caller = new GrpcCaller(server.Address, new ConnectorOptions()) { Patience = TimeSpan.FromSeconds(1) };
            var told = await Assert.ThrowsAsync<IOException>(
                () => caller.CallAsync("/" + Method, new byte[3], TestContext.Current.CancellationToken, firstAlone: true));
            // 33 bytes of the message are missing. If the headers come too late on a busy machine, the sentence is another one.
            Assert.Equal($"{server.Address} sent no message of a.B/C within 1 s", told.Message);
        });
    }

    [Fact]
    public async Task A_server_that_allows_no_stream_is_reported_with_the_reason()
    {
        await using var server = new FakeServer
        {
            Greeting = Frames.Settings(((int)SettingId.MaxConcurrentStreams, 0)),
            Answer = (_, _) => [], // .NET's client may send a call before the server's SETTINGS arrive
        };
        using var caller = new GrpcCaller(server.Address, new ConnectorOptions()) { Patience = TimeSpan.FromSeconds(1) };
        var told = await Assert.ThrowsAsync<IOException>(
            () => caller.CallAsync("/" + Method, new byte[3], TestContext.Current.CancellationToken));
        Assert.EndsWith(", or allows no stream (SETTINGS_MAX_CONCURRENT_STREAMS 0)", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_compressed_first_message_of_a_stream_is_recognized_without_a_second_wait()
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, [1, 0, 0, 0, 1, 9])],
        };
        using var caller = new GrpcCaller(server.Address, new ConnectorOptions()) { Patience = TestLoad.Patience };
        var answer = await caller.CallAsync("/" + Method, new byte[3], TestContext.Current.CancellationToken, firstAlone: true);
        Assert.Equal((GrpcStatusCode.Ok, null), (answer.Status, answer.Message));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_that_resets_unknown_methods_or_answers_them_with_nonsense_is_accepted(bool resets)
    {
        await using var server = new FakeServer
        {
            Answer = (stream, call) => call == 1 ? Frames.Reply(stream, new byte[3]) // the method; the next call is to Control
                : resets ? Frames.Reset(stream, 8) : Frames.Headers(stream, true, (":status", "banana")),
        };
        await using var servers = await OpenAsync(server);
        Assert.Null(servers.Controls[server.Address].Description);
    }

    private async Task<string> RefusalAsync(FakeServer server, params string[] more)
    {
        var refused = await Record.ExceptionAsync(() => OpenAsync(server, more));
        return Assert.IsType<EnvironmentException>(refused).Message;
    }

    private async Task<ServerSet> OpenAsync(FakeServer server, params string[] more)
    {
        var empty = Path.Combine(folder.FullName, "empty");
        await File.WriteAllBytesAsync(empty, [], TestContext.Current.CancellationToken);
        return await Typed.ServersAsync(
            Typed.ReadCall(["-U", $"{server.Address}", "--call", Method, "--data-binary", "@" + empty, "-c", "1", .. more]));
    }
}
