using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Echo;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.JsonRpc;

/// <summary>
/// Answers JSON-RPC 2.0 as a server of the Model Context Protocol does (https://modelcontextprotocol.io): <c>initialize</c>,
/// <c>ping</c>, <c>tools/list</c> and <c>tools/call</c> with the tool <c>download</c>, which returns text of a given size. The requests
/// of a connection are answered one after the other. The first byte of a connection shows whether the client speaks JSON-RPC; all
/// other connections go on to HTTP/2.
/// </summary>
/// <param name="maxSize">The largest text in bytes.</param>
/// <param name="version">The version of this program, for the answer to <c>initialize</c>.</param>
internal sealed class JsonRpcHandler(int maxSize, string version)
{
    /// <summary>The longest request in bytes. A longer request ends the connection.</summary>
    public const int MostRequest = 64 << 10;

    // Codes of https://www.jsonrpc.org/specification#error_object.
    private const int ParseError = -32700, InvalidRequest = -32600, UnknownMethod = -32601, InvalidParams = -32602, InternalError = -32603;

    private const byte Brace = (byte)'{', HeaderStart = (byte)'C';

    // The protocol version for a client that names no version (https://modelcontextprotocol.io/specification).
    private const string Latest = "2025-06-18";

    private readonly string about = $"{{\"name\":\"GrpcBenchServer\",\"version\":\"{JsonEncodedText.Encode(version)}\"}}";

    // How long a client may take to send its first byte, and to read bytes that wait for it.
    private static readonly TimeSpan FirstByte = TimeSpan.FromSeconds(10), Patience = TimeSpan.FromSeconds(30);

    private static ReadOnlySpan<byte> Tools =>
        """{"tools":[{"name":"download","description":"Returns text of the given size.","""u8
        + """ "inputSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}]}"""u8;

    /// <summary>Serves a connection that begins with a JSON-RPC message. Gives other connections to <paramref name="next"/>.</summary>
    /// <param name="behavior">What each call of the tool computes, and its faults.</param>
    /// <param name="answered">Called after each call of the tool that succeeded.</param>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next, EndpointBehavior behavior, Action answered)
    {
        if (await FirstByteAsync(connection) is not { } first)
            return;
        if (first is Brace or HeaderStart)
            await ServeAsync(connection, behavior, answered, hasHeaders: first == HeaderStart);
        else
            await next(connection);
    }

    /// <summary>Returns the first byte, which stays in the input. Null when the connection ended, or when no byte came in time.</summary>
    private static async Task<byte?> FirstByteAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        using var limit = new CancellationTokenSource(FirstByte);
        try
        {
            var read = await input.ReadAsync(limit.Token);
            byte? first = read.Buffer.IsEmpty ? null : read.Buffer.FirstSpan[0];
            input.AdvanceTo(read.Buffer.Start);
            return first;
        }
        catch (OperationCanceledException)
        {
            connection.Abort(new ConnectionAbortedException("the client sends nothing"));
            return null;
        }
        catch (IOException)
        {
            return null;
        }
    }

    private async Task ServeAsync(ConnectionContext connection, EndpointBehavior behavior, Action answered, bool hasHeaders)
    {
        var input = connection.Transport.Input;
        var replies = new JsonRpcReplies(connection.Transport.Output, hasHeaders, StalledReader.Watch(connection, Patience));
        await using var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            .UnsafeRegister(static reader => ((PipeReader)reader!).CancelPendingRead(), input) ?? default;
        try
        {
            while (true)
            {
                var read = await input.ReadAsync();
                var rest = read.Buffer;
                JsonRpcFrame frame;
                while ((frame = JsonRpcFrame.Take(ref rest, hasHeaders, MostRequest)).Kind == JsonRpcFrameKind.Message)
                {
                    await AnswerAsync(frame.Message, replies, behavior, answered);
                    if (replies.IsFull && !await replies.FlushAsync())
                        return;
                }
                if (frame.Kind == JsonRpcFrameKind.Broken)
                    replies.Error(default, InvalidRequest, $"a message is longer than {MostRequest} bytes, or has no valid header");
                input.AdvanceTo(rest.Start, rest.End);
                if (!await replies.FlushAsync() || read.IsCanceled || read.IsCompleted || frame.Kind == JsonRpcFrameKind.Broken)
                    return;
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The client has reset the connection, or the server stops.
        }
    }

    private async ValueTask AnswerAsync(
        ReadOnlySequence<byte> message, JsonRpcReplies replies, EndpointBehavior behavior, Action answered)
    {
        if (JsonRpcRequest.Parse(message, out var isJson) is not { } request)
        {
            replies.Error(
                default, isJson ? InvalidRequest : ParseError, isJson ? "the message is no JSON-RPC request" : "the message is no JSON");
            return;
        }
        using (request)
        {
            if (request.HasId) // a notification has no answer
                await AnswerAsync(request, replies, behavior, answered);
        }
    }

    private async ValueTask AnswerAsync(JsonRpcRequest request, JsonRpcReplies replies, EndpointBehavior behavior, Action answered)
    {
        switch (request.Method)
        {
            case "initialize":
                var asked = JsonEncodedText.Encode(request.Version ?? Latest);
                replies.Result(request.Id, Encoding.UTF8.GetBytes(
                    $"{{\"protocolVersion\":\"{asked}\",\"capabilities\":{{\"tools\":{{}}}},\"serverInfo\":{about}}}"));
                break;
            case "ping":
                replies.Result(request.Id, "{}"u8);
                break;
            case "tools/list":
                replies.Result(request.Id, Tools);
                break;
            case "tools/call":
                await CallAsync(request, replies, behavior, answered);
                break;
            default:
                replies.Error(request.Id, UnknownMethod, "the server does not know this method");
                break;
        }
    }

    private async ValueTask CallAsync(JsonRpcRequest request, JsonRpcReplies replies, EndpointBehavior behavior, Action answered)
    {
        if (Refusal(request) is { } refusal)
        {
            replies.Error(request.Id, InvalidParams, refusal);
            return;
        }
        if (behavior != EndpointBehavior.None)
            await behavior.HoldAsync();
        if (behavior.EndsWithError)
        {
            replies.Error(request.Id, InternalError, "a fault on purpose");
            return;
        }
        if (await replies.TextAsync(request.Id, behavior.SizeFor((int)request.Size!)))
            answered();
    }

    private string? Refusal(in JsonRpcRequest request) => (request.Tool, request.Size) switch
    {
        (not "download", _) => "the only tool is download",
        (_, null) => "the tool download needs the argument size, which is a whole number",
        (_, < 0) => FormattableString.Invariant($"size is {request.Size}: it must not be negative"),
        (_, var size) when size > maxSize => FormattableString.Invariant($"size is {size}: this server's limit is {maxSize} bytes"),
        _ => null,
    };
}
