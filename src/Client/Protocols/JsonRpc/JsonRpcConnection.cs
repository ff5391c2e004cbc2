using System.Globalization;
using System.Text;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.JsonRpc;

/// <summary>
/// A connection that speaks JSON-RPC 2.0 as a client of the Model Context Protocol does: <c>initialize</c>, then calls of one tool. The
/// server may answer the calls in any order.
/// </summary>
internal sealed class JsonRpcConnection : DuplexConnection
{
    // MostBytes: the longest message if the size of its text is unknown. HeadRoom: the bytes besides a text of known size.
    private const long MostBytes = 256 << 20, HeadRoom = 64 << 10;

    // The most bytes, besides calls, that may wait to be sent when the client answers a request of the server.
    private const int MostUnsent = 1 << 20;

    private const string ToolError = "tool error";

    private readonly JsonRpcOptions options;
    private readonly JsonRpcStream[] streams;
    private readonly MessageReader reader;
    private readonly HashSet<long> abandoned = [];
    private bool isOpen;
    private long calls;

    public JsonRpcConnection(Scheduler scheduler, Dialer dialer, JsonRpcOptions options)
        : base(scheduler, dialer)
    {
        this.options = options;
        reader = new MessageReader(options.HasHeaders, options.Size + HeadRoom ?? MostBytes);
        streams = [.. Enumerable.Range(0, options.Streams).Select(place => new JsonRpcStream(this, place))];
    }

    public override IReadOnlyList<IStream> Streams => streams;

    public override bool IsOpen => isOpen;

    protected override bool CanSend => isOpen;

    public void Send(JsonRpcStream call)
    {
        using var inside = Inside();
        if (!isOpen)
        {
            call.Complete(CallResult.Failed(FailureKind.ConnectionLost));
            return;
        }
        // The id modulo the number of streams is the place of the stream that made the call.
        call.Id = ++calls * streams.Length + call.Place;
        options.WriteCall(Output, call.Id);
    }

    public override void CutOff(long sentBeforeNs)
    {
        using var inside = Inside();
        foreach (var call in streams)
        {
            if (!call.IsInFlight || call.SentNs >= sentBeforeNs)
                continue;
            abandoned.Add(call.Id); // the answer may still come
            call.Complete(CallResult.CutOff);
        }
    }

    protected override void OnDuplex()
    {
        reader.Reset();
        abandoned.Clear();
        options.WriteInitialize(Output);
    }

    protected override void Abandon() => isOpen = false;

    protected override void Receive(ReadOnlySpan<byte> bytes)
    {
        var duplex = Current;
        for (var at = 0; reader.TryRead(bytes, ref at, out var message);)
        {
            OnMessage(message);
            if (!ReferenceEquals(Current, duplex))
                return; // the rest of the bytes came on the old duplex
        }
        if (reader.IsBroken)
            End(CallResult.Failed(FailureKind.Protocol), "the server wrote a message that is too long, or has no valid header");
    }

    protected override void OnEnd(string? fault) =>
        End(CallResult.Failed(FailureKind.ConnectionLost), fault ?? "the server closed the connection");

    protected override void Close() => End(CallResult.Failed(FailureKind.ConnectionLost), "disposed");

    private void OnMessage(ReadOnlySpan<byte> json)
    {
        if (!JsonRpcMessage.TryParse(json, out var message))
        {
            var begin = Encoding.UTF8.GetString(json[..Math.Min(json.Length, 200)]);
            End(CallResult.Failed(FailureKind.Protocol),
                $"the server wrote '{ServerWords.OneLine(begin, [], longest: 80)}', which is no JSON-RPC message");
        }
        else if (message.Method is { } method)
        {
            if (message.IdText is { } id)
                Answer(method, json[id]);
        }
        else if (!isOpen)
        {
            OnInitialized(message);
        }
        else if (message.Id is > 0 and { } number && streams[number % streams.Length] is { IsInFlight: true } call && call.Id == number)
        {
            call.Complete(ResultOf(message));
        }
        else if (message.Id is not { } late || !abandoned.Remove(late))
        {
            if (message.ErrorText.Length > 0)
                options.Notes.Add(FailureKind.Protocol, message.ErrorText);
            End(CallResult.Failed(FailureKind.Protocol), "the server's answer fits no call that waits");
        }
    }

    /// <summary>Answers a request of the server. The client knows only <c>ping</c>.</summary>
    private void Answer(string method, ReadOnlySpan<byte> id)
    {
        var end = method == "ping" ? ",\"result\":{}}"
            : ",\"error\":{\"code\":-32601,\"message\":\"the client does not know this method\"}}";
        if (Output.Length > MostUnsent + (long)options.CallBytes * streams.Length)
        {
            End(CallResult.Failed(FailureKind.Protocol), "the server sends requests and does not read the answers");
            return;
        }
        options.Write(Output, [.. "{\"jsonrpc\":\"2.0\",\"id\":"u8, .. id, .. Encoding.ASCII.GetBytes(end)]);
    }

    private void OnInitialized(in JsonRpcMessage message)
    {
        if (message is { Id: JsonRpcOptions.FirstId, HasResult: true })
        {
            options.WriteInitialized(Output);
            isOpen = true;
            SignalOpen();
            return;
        }
        var why = message.ErrorCode is { } code
            ? string.Create(CultureInfo.InvariantCulture, $"with error {code}: {ServerWords.OneLine(message.ErrorText, [])}")
            : message.HasResult ? "with a wrong id" : "without a result";
        End(CallResult.Failed(FailureKind.Protocol), $"the server answered initialize {why}");
    }

    private CallResult ResultOf(in JsonRpcMessage message)
    {
        if (message is { HasResult: true, ErrorCode: null, IsToolError: false })
        {
            return options.Size is null || message.TextBytes == options.Size
                ? CallResult.Ok(message.TextBytes) : CallResult.Failed("wrong length");
        }
        var kind = message.IsToolError ? ToolError : message.ErrorCode is { } code ? JsonRpcError.Kind(code) : FailureKind.Protocol;
        options.Notes.Add(kind, message.ErrorText);
        return CallResult.Failed(kind);
    }

    private void End(CallResult result, string why)
    {
        isOpen = false;
        Drop(
            () =>
            {
                foreach (var call in streams)
                {
                    if (call.IsInFlight)
                        call.Complete(result);
                }
            },
            () => new IOException(why));
    }
}

/// <summary>One of the calls that may be in flight on a <see cref="JsonRpcConnection"/>.</summary>
internal sealed class JsonRpcStream(JsonRpcConnection connection, int place) : CallStream(connection)
{
    public int Place => place;

    /// <summary>The id of the last call.</summary>
    public long Id { get; set; }

    protected override void Send() => connection.Send(this);
}

/// <summary>Gives the kind of failure for the code of a JSON-RPC error.</summary>
internal static class JsonRpcError
{
    // The codes that JSON-RPC 2.0 reserves (https://www.jsonrpc.org/specification#error_object). Other codes get one
    // kind: a results file should have few kinds of failures.
    private const int Least = -32768, Most = -32000;

    public static string Kind(int code) =>
        code is >= Least and <= Most ? string.Create(CultureInfo.InvariantCulture, $"error {code}") : "error";
}
