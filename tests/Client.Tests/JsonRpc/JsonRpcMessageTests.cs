using System.Text;
using IpcBench.Client.Protocols.JsonRpc;

namespace IpcBench.Client.Tests.JsonRpc;

public class JsonRpcMessageTests
{
    [Theory]
    [InlineData("""{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"abc"},{"text":"de","x":[1]}]}}""")]
    [InlineData("""{"result":{"isError":false,"content":[1,{"type":"image"},{"text":"abcde"},[]],"more":{}},"x":[{}],"id":5}""")]
    public void The_text_of_a_result_is_counted_at_any_place(string json)
    {
        Assert.True(JsonRpcMessage.TryParse(Encoding.UTF8.GetBytes(json), out var message));
        Assert.Equal((5L, null, null), (message.Id, message.ErrorCode, message.Method));
        Assert.Equal((true, false), (message.HasResult, message.IsToolError));
        Assert.Equal(5, message.TextBytes);
    }

    [Fact]
    public void A_result_may_be_nested_deeply()
    {
        var deep = new string('[', 1000) + new string(']', 1000);
        Assert.True(JsonRpcMessage.TryParse(Encoding.UTF8.GetBytes($$$"""{"id":5,"result":{"x":{{{deep}}}}}"""), out var message));
        Assert.True(message.HasResult);
    }

    [Fact]
    public void An_error_has_code_and_text_beside_other_members()
    {
        Assert.True(JsonRpcMessage.TryParse(
            """{"error":{"data":{"code":1},"message":"no \u0022tool\u0022","code":-32602},"id":5}"""u8, out var message));
        Assert.Equal((5L, -32602, "no \"tool\"", false), (message.Id, message.ErrorCode, message.ErrorText, message.HasResult));
        Assert.True(JsonRpcMessage.TryParse("""{"error":"bad","id":null}"""u8, out message));
        Assert.Equal((null, 0), (message.Id, message.ErrorCode));
    }

    [Fact]
    public void The_text_of_a_failed_tool_is_kept()
    {
        Assert.True(JsonRpcMessage.TryParse("""{"id":5,"result":{"isError":true,"content":[{"text":"no file"}]}}"""u8, out var message));
        Assert.Equal((true, "no file"), (message.IsToolError, message.ErrorText));
        Assert.True(JsonRpcMessage.TryParse("""{"id":5,"result":{"content":[{"text":"no file"}],"isError":true}}"""u8, out message));
        Assert.Equal((true, "no file"), (message.IsToolError, message.ErrorText));
    }

    [Theory]
    [InlineData("""{"id":"a b","method":"ping"}""", "\"a b\"", "ping")]
    [InlineData("""{"method":"notifications/message","params":{"id":1}}""", null, "notifications/message")]
    [InlineData("""{"id": 3 ,"method":7}""", "3", "")]
    public void A_request_of_the_server_keeps_the_text_of_its_id(string json, string? id, string method)
    {
        Assert.True(JsonRpcMessage.TryParse(Encoding.UTF8.GetBytes(json), out var message));
        Assert.Equal((id, method), (message.IdText is { } place ? json[place] : null, message.Method));
    }

    [Theory]
    [InlineData("")]
    [InlineData("Hello")]
    [InlineData("[]")]
    [InlineData("5")]
    [InlineData("{\"id\":5")]
    [InlineData("{\"id\":5}{}")]
    [InlineData("{\"error\":{\"message\":\"\\ud800\"}}")]
    [InlineData("{\"method\":\"\\ud800\"}")]
    public void Text_that_is_no_JSON_object_is_no_message(string text) =>
        Assert.False(JsonRpcMessage.TryParse(Encoding.UTF8.GetBytes(text), out _));
}
