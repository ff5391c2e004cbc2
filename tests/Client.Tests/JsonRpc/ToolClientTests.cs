using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Client.Run;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.JsonRpc;

public sealed class ToolClientTests
{
    [Fact]
    public async Task Tools_of_all_pages_are_listed()
    {
        using var server = new LineServer(line => Answer(line, Page(line) switch
        {
            null => """{"tools":[{"name":"one"}],"nextCursor":"2\""}""",
            "2\\u0022" => """{"tools":[],"nextCursor":"3"}""",
            _ => """{"tools":[{"name":"two"}]}""",
        }));
        await using var client = await OpenAsync(server);
        Assert.Equal(["one", "two"], (await client.ListAsync(CancellationToken.None)).Select(ToolClient.NameOf));
    }

    [Fact]
    public async Task A_list_of_tools_without_end_is_an_error()
    {
        using var server = new LineServer(line => Answer(line, """{"tools":[],"nextCursor":"next"}"""));
        await using var client = await OpenAsync(server);
        var error = await Assert.ThrowsAsync<IOException>(() => client.ListAsync(CancellationToken.None));
        Assert.EndsWith(": the server lists tools without end", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_error_does_not_show_the_arguments_that_a_server_repeats()
    {
        using var server = new LineServer(line => line.Contains("tools/call", StringComparison.Ordinal)
            ? [$"{{\"jsonrpc\":\"2.0\",\"id\":{IdOf(line)},\"error\":{{\"code\":-32602,\"message\":\"wrong: opensesame\"}}}}"]
            : Answer(line, "{}"));
        await using var client = await OpenAsync(server);
        var error = await Assert.ThrowsAsync<IOException>(() =>
            client.CallAsync(new ToolCall("x", """{"password":"opensesame"}"""), CancellationToken.None));
        Assert.EndsWith("answers tools/call with error -32602: wrong: (hidden)", error.Message, StringComparison.Ordinal);
    }

    private static Task<ToolClient> OpenAsync(LineServer server) =>
        ToolClient.OpenAsync(new ToolArm("", server.Address), new ConnectorOptions(), CancellationToken.None);

    private static string[] Answer(string line, string result) =>
        line.Contains("notifications/", StringComparison.Ordinal) ? []
            : [$"{{\"jsonrpc\":\"2.0\",\"id\":{IdOf(line)},\"result\":{result}}}"];

    private static string IdOf(string line) => Between(line, "\"id\":", ",")!;

    private static string? Page(string line) => Between(line, "\"cursor\":\"", "\"");

    private static string? Between(string text, string begin, string end) =>
        text.IndexOf(begin, StringComparison.Ordinal) is >= 0 and var at && text[(at + begin.Length)..] is var rest
            ? rest[..rest.IndexOf(end, StringComparison.Ordinal)] : null;
}
