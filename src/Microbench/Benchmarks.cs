using BenchmarkDotNet.Attributes;
using Google.Protobuf;
using IpcBench.Analysis.Statistics;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Server;
using IpcBench.Server.Options;
using IpcBench.Transports;

namespace IpcBench.Microbench;

/// <summary>
/// Measures unary calls, one after the other on one connection. The server is in this process, so time and allocations
/// are those of both sides together.
/// </summary>
public class CallBenchmarks
{
    private const int Calls = 1000;
    private BenchServer? server;
    private LoadGenerator? generator;

    [Params("tcp", "tls", "unix", "pipe")]
    public string Transport { get; set; } = "";

    [Params(ProtocolTable.Wire, ProtocolTable.GrpcDotnet)]
    public string Client { get; set; } = "";

    // The setup waits synchronously, because the in-process toolchain does not await an asynchronous setup.
    [GlobalSetup]
    public void Setup() => StartAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void Cleanup() => StopAsync().GetAwaiter().GetResult();

    [Benchmark(OperationsPerInvoke = Calls)]
    public async Task<long> Unary() => (await generator!.RunAsync(new LoadWindow { Calls = Calls }, CancellationToken.None)).Ok;

    private async Task StartAsync()
    {
        server = await BenchServer.StartAsync(new ServerOptions { Listen = [Listen()] }, TextWriter.Null);
        var options = new LoadOptions { Address = server.Endpoints[0].Address, Size = 10, Connections = 1, Threads = 1, Client = Client };
        var source = await ProtocolTable.ConnectionsAsync(options, CancellationToken.None);
        generator = await LoadGenerator.OpenAsync(options, source, CancellationToken.None);
    }

    private async Task StopAsync()
    {
        await generator!.DisposeAsync();
        await server!.DisposeAsync();
    }

    private Address Listen() => Transport switch
    {
        "tcp" => new Address.Tcp("127.0.0.1", 0),
        "tls" => new Address.Tls("localhost", 0),
        "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock")),
        _ => new Address.Pipe($"ipcbench-{Guid.NewGuid():N}"),
    };
}

/// <summary>Measures the parsing of an address from the command line.</summary>
[Gated]
public class AddressBenchmarks
{
    [Params("http://localhost:5000", "unix:/tmp/greeter.sock", "pipe:/PipeGreeter")]
    public string Text { get; set; } = "";

    [Benchmark]
    public Address Parse() => Address.Parse(Text);
}

/// <summary>
/// Measures the recording of one latency, which happens for each call, and the merge of two histograms, which happens for each thread
/// and round.
/// </summary>
[Gated]
public class LatencyBenchmarks
{
    private readonly LatencyHistogram histogram = new();
    private readonly LatencyHistogram other = new();
    private readonly long[] values = new long[1024];
    private int next;

    [GlobalSetup]
    public void Setup()
    {
        const int seed = 1;
        var random = new Random(seed);
        for (var i = 0; i < values.Length; i++)
            values[i] = (long)(1_000_000 * Math.Exp(random.NextDouble() * 3));
        foreach (var value in values)
            other.Record(value);
    }

    [Benchmark]
    public void RecordOne() => histogram.Record(values[next++ & (values.Length - 1)]);

    [Benchmark]
    public void MergeOne() => histogram.Add(other);
}

/// <summary>Measures the work of the client wire on the frames around a reply.</summary>
[Gated]
public class Http2Benchmarks
{
    // Both blocks hold ":status: 200" and content-type. The first block enters content-type into the dynamic table (RFC
    // 7541, 6.2.1). The later block refers to content-type by its index in this table.
    private static readonly byte[] FirstHeaders = [0x88, 0x5f, 0x10, .. "application/grpc"u8];
    private static readonly byte[] LaterHeaders = [0x88, 0xbe];

    // These fields are encoded as literals that do not enter the table.
    private static readonly byte[] LiteralHeaders = [0x88, 0x0f, 0x10, 0x10, .. "application/grpc"u8];
    private static readonly byte[] LiteralTrailers = [0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'0'];

    private readonly byte[] header = [0, 0, 17, 0, 1, 0, 0, 0, 3];
    private readonly HpackDecoder decoder = new(HeaderBlocks.TableSize);

    [GlobalSetup]
    public void Setup() => decoder.Decode(FirstHeaders);

    [Benchmark]
    public int ReadFrameHeader() => FrameHeader.Read(header).Length;

    [Benchmark]
    public int DecodeIndexedHeaders() => decoder.Decode(LaterHeaders).Status;

    [Benchmark]
    public int DecodeLiteralHeaders() => decoder.Decode(LiteralHeaders).Status;

    [Benchmark]
    public int DecodeLiteralTrailers() => decoder.Decode(LiteralTrailers).GrpcStatus;
}

/// <summary>Measures the check of a reply that arrives in pieces of the largest frame size.</summary>
[Gated]
public class ReplyBenchmarks
{
    private byte[] frame = [];

    [Params(10, 100, 1_000, 10_000, 100_000, 1_000_000)]
    public int Size { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        var message = new DownloadReply { Payload = ByteString.CopyFrom(new byte[Size]) }.ToByteArray();
        frame = GrpcFraming.Frame(message);
    }

    [Benchmark]
    public bool Parse()
    {
        var reader = default(ReplyReader);
        for (var rest = frame.AsSpan(); !rest.IsEmpty; rest = rest[Math.Min(rest.Length, FrameReader.MaxFrame)..])
            reader.Read(rest[..Math.Min(rest.Length, FrameReader.MaxFrame)]);
        return reader.IsComplete(Size);
    }
}
