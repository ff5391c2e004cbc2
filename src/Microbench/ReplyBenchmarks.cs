using BenchmarkDotNet.Attributes;
using Google.Protobuf;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Microbench;

/// <summary>Checking one reply as it streams by, in pieces of a frame.</summary>
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
