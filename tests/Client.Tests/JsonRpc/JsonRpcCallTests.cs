using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;

namespace IpcBench.Client.Tests.JsonRpc;

/// <summary>Checks the client of JSON-RPC against servers that answer rightly, wrongly and not at all.</summary>
public partial class JsonRpcCallTests
{
    private const string Begun = """{"jsonrpc":"2.0","id":0,"result":{}}""";

    [Fact]
    public async Task Answers_in_any_order_match_their_calls_and_requests_of_the_server_are_no_answers()
    {
        var held = new List<string>();
        var pongs = 0;
        using var server = new LineServer(line =>
        {
            if (Answer(line) is { } usual)
                return usual;
            if (!line.Contains("tools/call", StringComparison.Ordinal))
            {
                pongs += line == """{"jsonrpc":"2.0","id":"p","result":{}}""" ? 1 : 0;
                return [];
            }
            held.Add(Text(line, "1234567890"));
            if (held.Count < 4)
                return [];
            string[] reversed =
            [
                """{"jsonrpc":"2.0","method":"notifications/message","params":{}}""", """{"jsonrpc":"2.0","id":"p","method":"ping"}""",
                .. held.AsEnumerable().Reverse(),
            ];
            held.Clear();
            return reversed;
        });
        var result = await TestLoad.MeasureAsync(Options(server) with { Streams = 4 }, new LoadWindow { Calls = 400 });
        Assert.Equal((400, 400, 4_000), (result.Started, result.Ok, result.Replies.Bytes));
        await TestLoad.UntilAsync(() => pongs == 100);
    }

    [Theory]
    [InlineData("""{"jsonrpc":"2.0","id":ID,"result":{"content":[{"text":"123456789"}]}}""", "wrong length")]
    [InlineData("""{"jsonrpc":"2.0","id":ID,"result":{"content":[{"text":"1234567890"}],"isError":true}}""", "tool error")]
    [InlineData("""{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no"}}""", "error -32602")]
    [InlineData("""{"jsonrpc":"2.0","id":ID,"error":{"code":5,"message":"no"}}""", "error")]
    [InlineData("""{"jsonrpc":"2.0","id":ID}""", "protocol")]
    [InlineData("""{"jsonrpc":"2.0","id":999999999,"result":{}}""", "protocol")]
    [InlineData("Listening on port 80", "protocol")]
    [InlineData(null, "connection lost")]
    public async Task A_wrong_answer_is_a_failure_of_its_kind(string? answer, string kind)
    {
        using var server = new LineServer(line => Answer(line)
            ?? (!line.Contains("tools/call", StringComparison.Ordinal) ? []
                : answer is null ? null : [answer.Replace("ID", Id(line), StringComparison.Ordinal)]));
        var result = await TestLoad.MeasureAsync(Options(server), new LoadWindow { Calls = 5 });
        Assert.Equal((0, 5), (result.Ok, result.Failed.GetValueOrDefault(kind)));
    }

    [Fact]
    public async Task An_answer_that_is_sent_twice_ends_the_connection()
    {
        using var server = new LineServer(line => Answer(line)
            ?? (line.Contains("tools/call", StringComparison.Ordinal) ? [Text(line, "1234567890"), Text(line, "1234567890")] : []));
        var result = await TestLoad.MeasureAsync(Options(server), new LoadWindow { Calls = 10 });
        Assert.True(result.Connections.Reopened > 0);
    }

    [Fact]
    public async Task A_late_answer_is_ignored_and_the_connection_continues()
    {
        var late = "";
        using var server = new LineServer(line =>
        {
            if (Answer(line) is { } usual)
                return usual;
            if (!line.Contains("tools/call", StringComparison.Ordinal))
                return [];
            var now = Text(line, "1234567890");
            if (late.Length == 0)
            {
                late = now; // the first call is answered together with the second call
                return [];
            }
            string[] both = [late, now];
            late = "none";
            return both[0] == "none" ? [now] : both;
        });
        var options = Options(server) with { Timeout = TimeSpan.FromSeconds(0.3) };
        var result = await TestLoad.MeasureAsync(options, new LoadWindow { Calls = 10 });
        Assert.Equal((1, 9, 0), (result.CutOff, result.Ok, result.Connections.Reopened));
    }

    [Theory]
    [InlineData("Hello", "the server wrote 'Hello', which is no JSON-RPC message")]
    [InlineData("""{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown"}}""",
        "the server answered initialize with error -32601: unknown")]
    [InlineData("""{"jsonrpc":"2.0","id":5,"result":{}}""", "the server answered initialize with a wrong id")]
    [InlineData(null, "the server closed the connection")]
    public async Task A_server_that_does_not_speak_the_protocol_is_reported_when_the_connection_opens(string? answer, string sentence)
    {
        using var server = new LineServer(_ => answer is null ? null : [answer]);
        var error = await Assert.ThrowsAsync<IOException>(() => TestLoad.OpenAsync(Options(server)));
        Assert.Equal($"cannot connect to {server.Address}: {sentence}", error.Message);
    }

    private static LoadOptions Options(LineServer server) =>
        TestLoad.Options(server.Address, connections: 1, threads: 1) with { Protocol = ProtocolTable.JsonRpc };

    /// <summary>Answers initialize and notifications. Null for other lines.</summary>
    private static string[]? Answer(string line) => line.Contains("\"initialize\"", StringComparison.Ordinal) ? [Begun]
        : line.Contains("notifications/", StringComparison.Ordinal) ? [] : null;

    private static string Text(string line, string text) =>
        $$$"""{"jsonrpc":"2.0","id":{{{Id(line)}}},"result":{"content":[{"type":"text","text":"{{{text}}}"}]}}""";

    private static string Id(string line) =>
        long.Parse(Number().Match(line).Groups[1].Value, CultureInfo.InvariantCulture).ToString(CultureInfo.InvariantCulture);

    [GeneratedRegex("\"id\":([0-9]+)")]
    private static partial Regex Number();
}
