using System.Text.Json.Serialization;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Results;

/// <summary>One cell of the plan: what it is and where it ran.</summary>
public sealed record Cell
{
    public required CellKey Key { get; init; }

    /// <summary>The address measured, as printed: <c>unix:/tmp/greeter.sock</c>.</summary>
    public required string Address { get; init; }

    /// <summary>What a reader must know about this transport here, e.g. what <c>pipe:</c> is on Linux; empty otherwise.</summary>
    public string Note { get; init; } = "";
}

/// <summary>What a cell is, apart from where it ran: two files are aligned by it, so it never holds a path, port or pipe name.</summary>
public sealed record CellKey
{
    private const string WorkSetting = "work=";

    /// <summary><c>tcp</c>, <c>tls</c>, <c>unix</c> or <c>pipe</c>.</summary>
    public required string Transport { get; init; }

    /// <summary>What one call is on the wire: <c>grpc</c>, <c>http1</c>, <c>http2</c> (bare, without gRPC) or <c>echo</c>.</summary>
    public string Protocol { get; init; } = "grpc";

    /// <summary>The client implementation: <c>wire</c> or <c>grpc-dotnet</c>.</summary>
    public string Client { get; init; } = "wire";

    /// <summary>
    /// What a call is: <c>upload</c>, a payload that goes up; <c>ping-pong</c>, a message on a stream that stays open, and its answer;
    /// <c>push</c> and <c>pull</c>, a message of a stream to or from the server; empty: unary, where a payload comes down.
    /// </summary>
    public string Mode { get; init; } = "";

    /// <summary>The method that is called, <c>package.Service/Method</c>; empty: <c>Bench.Download</c>, or no gRPC.</summary>
    public string Method { get; init; } = "";

    /// <summary>
    /// Of a <see cref="Method"/>, the first 12 digits of the hash of its requests (<see cref="CallRecord.Corpus"/>): others are other work.
    /// </summary>
    public string Corpus { get; init; } = "";

    /// <summary>Payload bytes of one reply; of a <see cref="Method"/> bytes of one request, of different ones the mean.</summary>
    public required long Size { get; init; }

    /// <summary>Connections open at the same time.</summary>
    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>
    /// Asked-for load: <c>max</c> (closed loop), <c>20000/s</c> (open loop), <c>50%</c> of the slowest transport's capacity, or the promise
    /// whose highest rate is searched (<c>p99&lt;1ms</c>).
    /// </summary>
    public string Load { get; init; } = "max";

    /// <summary>
    /// What else sets this arm apart: <c>socket-buffer=256k</c> in a sweep, <c>a/a</c> for the reference's second endpoint; empty
    /// otherwise.
    /// </summary>
    public string Variant { get; init; } = "";

    /// <summary>Its windows had each a rate of its own, in search of the highest at which a promise holds.</summary>
    [JsonIgnore]
    public bool IsSearch => Load.Contains('<', StringComparison.Ordinal);

    /// <summary>A call is a message on a stream.</summary>
    [JsonIgnore]
    public bool IsOfMessages => Mode is "ping-pong" || IsOneWay;

    /// <summary>A call is a message that is not answered: its latency is that of one way.</summary>
    [JsonIgnore]
    public bool IsOneWay => Mode is "push" or "pull";

    /// <summary>What a call is about, in short: the method's own name, or the size.</summary>
    [JsonIgnore]
    public string Work => WorkOf(Method, Size, ServerWork);

    /// <summary>
    /// What the server computes for each call, as <c>--work</c> has it: <c>10us</c>; empty where nothing was said. Like the size it belongs
    /// to the call, not to the arm.
    /// </summary>
    [JsonIgnore]
    public string ServerWork => Variant.Split(' ').FirstOrDefault(IsWork)?[WorkSetting.Length..] ?? "";

    /// <summary>The arm alone: what is compared with the reference at the same size, connections, streams and load.</summary>
    [JsonIgnore]
    public string Arm => string.Join(' ', new[] { Transport, Protocol == "grpc" ? "" : Protocol, Client == "wire"
        ? "" : Client, Mode, Setting }.Where(part => part.Length > 0));

    /// <inheritdoc cref="Work"/>
    public static string WorkOf(string method, long size, string serverWork) =>
        (method.Length == 0 ? Quantity.Size(size) : method[(method.LastIndexOf('/') + 1)..])
            + (serverWork.Length == 0 ? "" : $", work {serverWork}");

    /// <summary>The variant without what belongs to the call.</summary>
    [JsonIgnore]
    public string Setting => ServerWork.Length == 0 ? Variant : string.Join(' ', Variant.Split(' ').Where(part => !IsWork(part)));

    private static bool IsWork(string part) => part.StartsWith(WorkSetting, StringComparison.Ordinal);
}
