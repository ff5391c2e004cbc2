using BenchmarkDotNet.Attributes;
using IpcBench.Http2;

namespace IpcBench.Microbench;

/// <summary>What the lean client does for the frames around a reply.</summary>
[Gated]
public class Http2Benchmarks
{
    // ":status: 200", then content-type as a literal that enters the dynamic table (RFC 7541, 6.2.1) or as the entry it became.
    private static readonly byte[] FirstHeaders = [0x88, 0x5f, 0x10, .. "application/grpc"u8];
    private static readonly byte[] LaterHeaders = [0x88, 0xbe];

    // The same as literals that enter no table.
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
