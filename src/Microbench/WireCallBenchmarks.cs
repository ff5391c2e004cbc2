using System.Buffers;
using System.Buffers.Binary;
using BenchmarkDotNet.Attributes;
using Google.Protobuf;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Microbench;

/// <summary>
/// Measures a whole call of the client wire on an open HTTP/2 connection: the client writes the request, reads the reply and
/// completes the call. Prepared bytes take the place of a server. The first case calls Download. The second case calls a
/// method with several requests, metadata, a deadline and an expected reply.
/// </summary>
[Gated]
public class WireCallBenchmarks
{
    private ReconnectingHttp2Connection? client;
    private CannedDialer? server;

    [Params("Download", "--call")]
    public string Method { get; set; } = "";

    [GlobalSetup]
    public void Setup()
    {
        byte[][] messages = [[.. new byte[100]], [1, .. new byte[99]]];
        var isDownload = Method == "Download";
        var request = isDownload ? Http2Request.Download("localhost", tls: false, 10)
            : Http2Request.Grpc("localhost", tls: false, "/shop.Cart/Add", messages, [("grpc-timeout", "9000000u"), ("key", "secret")]);
        var options = new Http2Options
        {
            Request = request,
            Size = 10,
            Reply = isDownload ? ReplyKind.Download : ReplyKind.Any,
            DeadlineNs = isDownload ? 0 : 9_000_000_000,
            Expect = isDownload ? null : _ => null,
            Streams = 1,
        };
        var reply = isDownload ? new DownloadReply { Payload = ByteString.CopyFrom(new byte[10]) }.ToByteArray() : new byte[300];
        server = new CannedDialer(reply, credit: (int)request.LongestBody);
        client = new ReconnectingHttp2Connection(new IdleScheduler(), server, options);
        client.OpenAsync(CancellationToken.None).GetAwaiter().GetResult();
        client.SetAccepting(true);
    }

    [Benchmark]
    public long Call()
    {
        var call = client!.Streams[0].CallAsync(MonotonicClock.NowNs);
        server!.Duplex!.Answer();
        var result = call.GetAwaiter().GetResult();
        return result.IsOk ? result.Bytes : throw new InvalidOperationException(result.Kind);
    }

    /// <summary>Opens a connection that accepts all sent bytes and always answers the newest stream with the same bytes.</summary>
    private sealed class CannedDialer(byte[] reply, int credit) : Dialer(usesLoops: true)
    {
        public CannedDuplex? Duplex { get; private set; }

        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            new(Duplex = new CannedDuplex(owner, reply, credit));
    }

    private sealed class CannedDuplex : Duplex
    {
        private readonly IDuplexOwner owner;
        private readonly byte[] answer;
        private readonly List<int> streamIds = [];
        private int stream = -1;

        public CannedDuplex(IDuplexOwner owner, byte[] reply, int credit)
        {
            this.owner = owner;
            var frames = new ArrayBufferWriter<byte>();
            void Write(FrameType type, FrameFlags flags, ReadOnlySpan<byte> payload)
            {
                streamIds.Add(frames.WrittenCount + 5); // RFC 9113, 4.1: after length, type and flags
                frames.WriteFrame(type, flags, 1, payload);
            }
            Write(FrameType.Headers, FrameFlags.EndHeaders, [0x88, 0x0f, 0x10, 0x10, .. "application/grpc"u8]);
            Write(FrameType.Data, FrameFlags.None, GrpcFraming.Frame(reply));
            Write(FrameType.Headers, FrameFlags.EndHeaders | FrameFlags.EndStream, [0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'0']);
            frames.WriteWindowUpdate(0, credit);
            answer = frames.WrittenSpan.ToArray();
        }

        public override void Start()
        {
            var settings = new ArrayBufferWriter<byte>();
            settings.WriteSettings();
            owner.OnBytes(this, settings.WrittenSpan);
        }

        public void Answer()
        {
            stream += 2;
            foreach (var place in streamIds)
                BinaryPrimitives.WriteInt32BigEndian(answer.AsSpan(place), stream);
            owner.OnBytes(this, answer);
        }

        public override void Flush(OutputBuffer output) => output.Sent(output.Length);

        public override void Close()
        {
        }
    }

    /// <summary>Runs posted actions at once, and never runs a timer.</summary>
    private sealed class IdleScheduler : Scheduler
    {
        public override LatencyRecorder Recorder { get; } = new();

        public override IReadOnlyCollection<LatencyRecorder> Recorders => [Recorder];

        public override void BeginWindow(WindowClock clock, LoadWindow window)
        {
        }

        public override void Post(Action<object?> action, object? state) => action(state);

        public override void Schedule(long dueNs, ILoopTimer timer)
        {
        }

        public override void HurryTimers()
        {
        }

        public override void Dispose()
        {
        }
    }
}
