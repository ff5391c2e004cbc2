using System.Text.Json.Serialization;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Results;

/// <summary>
/// Everything that identifies a cell except its address. Cells of two files are matched by this key, so the key never has a
/// path, port or pipe name.
/// </summary>
public sealed record CellKey
{
    private const string WorkSetting = "work=", WaitSetting = "wait=";

    /// <summary><c>tcp</c>, <c>tls</c>, <c>unix</c>, <c>pipe</c>, <c>stdio</c>, <c>socketpair</c> or <c>shm</c>.</summary>
    public required string Transport { get; init; }

    /// <summary>The protocol: <c>grpc</c>, <c>http1</c>, <c>http2</c> (bare), <c>jsonrpc</c>, <c>jsonrpc-lsp</c> or <c>echo</c>.</summary>
    public string Protocol { get; init; } = "grpc";

    /// <summary>The client implementation: <c>wire</c> or <c>grpc-dotnet</c>.</summary>
    public string Client { get; init; } = "wire";

    /// <summary>
    /// The kind of call. <c>upload</c> sends a payload to the server. <c>ping-pong</c> sends a message on an open
    /// stream and gets an answer. <c>push</c> is one message of a stream to the server, <c>pull</c> one message from
    /// the server. Empty for a unary call with the payload in the reply.
    /// </summary>
    public string Mode { get; init; } = "";

    /// <summary>
    /// The method that is called, <c>package.Service/Method</c>. Empty for <c>Bench.Download</c>, and for calls that are not gRPC.
    /// </summary>
    public string Method { get; init; } = "";

    /// <summary>
    /// The first 12 digits of the hash of the requests of <see cref="Method"/> (<see cref="CallRecord.Corpus"/>), or of the
    /// body of an HTTP request. The key has the hash because other requests are other work.
    /// </summary>
    public string Corpus { get; init; } = "";

    /// <summary>
    /// Payload bytes of a call. For a <see cref="Method"/>, the bytes of a request, or their mean if the requests
    /// differ.
    /// </summary>
    public required long Size { get; init; }

    /// <summary>Connections open at the same time.</summary>
    public required int Connections { get; init; }

    /// <summary>Concurrent calls on each connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>
    /// The requested load: <c>max</c> (closed loop), <c>20000/s</c> (open loop), <c>50%</c> of the slowest transport's
    /// capacity, or the objective of a search for the highest rate (<c>p99&lt;1ms</c>).
    /// </summary>
    public string Load { get; init; } = FullLoad;

    /// <summary>
    /// Settings and marks of the cell, separated by blanks: <c>socket-buffer=256k</c> in a sweep, <c>work=10us</c>,
    /// <c>a/a</c> for the reference's second endpoint. Empty without settings and marks.
    /// </summary>
    public string Variant { get; init; } = "";

    /// <summary>The variant that marks cells of the second build in a run of <c>ab</c>.</summary>
    public const string HeadVariant = "build=head";

    /// <summary>The load of a closed loop.</summary>
    public const string FullLoad = "max";

    /// <summary>Whether the client is Grpc.Net.Client, which most .NET applications use.</summary>
    [JsonIgnore]
    public bool IsOfGrpcNetClient => Client == "grpc-dotnet";

    /// <summary>Whether calls follow each other without a pause, in a closed loop.</summary>
    [JsonIgnore]
    public bool IsFullLoad => Load == FullLoad;

    /// <summary>
    /// Whether the cell belongs to a search for the highest rate that meets an objective. Each window of the cell had its own rate.
    /// </summary>
    [JsonIgnore]
    public bool VariesRate => Load.Contains('<', StringComparison.Ordinal);

    /// <summary>Whether a call is a message on a stream.</summary>
    [JsonIgnore]
    public bool IsOfMessages => Mode is "ping-pong" || IsOneWay;

    /// <summary>Whether a call is a message without an answer. Its latency is then the time from one side to the other.</summary>
    [JsonIgnore]
    public bool IsOneWay => Mode is "push" or "pull";

    /// <summary>A short name of the call: the method or the size, followed by the work of the server if there is any.</summary>
    [JsonIgnore]
    public string Work => WorkOf(Method, Size, ServerWork);

    /// <summary>
    /// The size and the server's work. For a <see cref="Method"/>, only the work. Empty for a method without work.
    /// </summary>
    [JsonIgnore]
    public string WorkWithoutMethod => Method.Length == 0 ? Work : ServerWork.Length == 0 ? "" : $"work {ServerWork}";

    /// <summary>
    /// The time for which the server computes in each call, as given to <c>--work</c>: <c>10us</c>. Like the size, this
    /// work belongs to the call and not to the arm. Empty without work.
    /// </summary>
    [JsonIgnore]
    public string ServerWork => Variant.Split(' ').FirstOrDefault(IsWork)?[WorkSetting.Length..] ?? "";

    /// <summary>The server's work for readers who compare different works: <c>work 10us</c>, <c>no work</c>.</summary>
    [JsonIgnore]
    public string HandlerText => ServerWork.Length > 0 ? $"work {ServerWork}" : "no work";

    /// <summary>How both ends of shared memory wait, as given to <c>--wait</c>: <c>spin</c>. Empty for other transports.</summary>
    [JsonIgnore]
    public string Wait => Variant.Split(' ').FirstOrDefault(IsWait)?[WaitSetting.Length..] ?? "";

    /// <summary>
    /// The name of the arm: the parts of the key that may differ between an arm and its reference. Size, method, server
    /// work, connections, streams and load are the same for both.
    /// </summary>
    [JsonIgnore]
    public string Arm => string.Join(' ', new[] { Transport, Wait, Protocol == "grpc" ? "" : Protocol, Client == "wire"
        ? "" : Client, Mode, WithoutWait }.Where(part => part.Length > 0));

    /// <inheritdoc cref="Work"/>
    public static string WorkOf(string method, long size, string serverWork) =>
        (method.Length == 0 ? Quantity.Size(size) : method[(method.LastIndexOf('/') + 1)..])
            + (serverWork.Length == 0 ? "" : $", work {serverWork}");

    /// <summary>The variant without the server's work, which belongs to the call and not to the arm.</summary>
    [JsonIgnore]
    public string Setting => ServerWork.Length == 0 ? Variant : string.Join(' ', Variant.Split(' ').Where(part => !IsWork(part)));

    /// <summary>The settings without <see cref="Wait"/>, which the name of the arm has next to the transport.</summary>
    [JsonIgnore]
    public string WithoutWait => string.Join(' ', Setting.Split(' ').Where(part => !IsWait(part)));

    private static bool IsWait(string part) => part.StartsWith(WaitSetting, StringComparison.Ordinal);

    private static bool IsWork(string part) => part.StartsWith(WorkSetting, StringComparison.Ordinal);
}
