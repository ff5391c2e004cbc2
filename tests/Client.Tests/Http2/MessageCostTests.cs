using System.Buffers.Binary;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2;

/// <summary>What a message costs the client beside system calls: the other end answers out of memory.</summary>
public class MessageCostTests
{
    private const int Streams = 80;

    [Theory]
    [InlineData(10)]
    [InlineData(1_000)]
    public void Nothing_is_allocated_for_a_message(int size)
    {
        var load = new Load(Http2Request.Payload("localhost", tls: false, "/a.B/Echo", size), size, isStream: true);
        load.Run(turns: 10);
        Assert.Equal(0, Allocated.By(() => load.Run(turns: 50)));
    }

    /// <summary>So many streams of one connection, each of which has one call out at a time.</summary>
    private sealed class Load
    {
        private readonly Mirror mirror = new();
        private readonly Http2Client client;
        private readonly ValueTask<CallResult>[] calls = new ValueTask<CallResult>[Streams];

        public Load(Http2Request request, int size, bool isStream)
        {
            client = new Http2Client(new SyncScheduler(), mirror,
                new Http2Options { Request = request, Size = size, IsStream = isStream, Streams = Streams });
            var opening = client.OpenAsync(CancellationToken.None);
            mirror.Deliver(Frames.Settings((4, int.MaxValue)));
            mirror.Deliver(Frames.WindowUpdate(0, int.MaxValue - 65_535));
            Assert.True(opening.IsCompletedSuccessfully);
            client.SetAccepting(true);
        }

        public void Run(int turns)
        {
            for (var turn = 0; turn < turns; turn++)
            {
                client.Enter();
                for (var i = 0; i < Streams; i++)
                {
                    Assert.True(client.Streams[i].ReadyAsync().IsCompletedSuccessfully);
                    calls[i] = client.Streams[i].CallAsync(1);
                }
                client.Leave();
                mirror.Answer();
                foreach (var call in calls)
                    Assert.True(call.IsCompletedSuccessfully && call.GetAwaiter().GetResult().IsOk);
            }
        }
    }

    /// <summary>A server that answers each DATA frame with its bytes, headers before the first of each stream.</summary>
    private sealed class Mirror() : Dialer(usesLoops: true)
    {
        private Mirrored? opened;

        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            new(opened = new Mirrored(owner));

        public void Deliver(byte[] bytes) => opened!.Deliver(bytes);

        public void Answer() => opened!.Answer();
    }

    private sealed class Mirrored(IDuplexOwner owner) : Duplex
    {
        private static readonly byte[] Headers = Frames.ResponseHeaders(1);

        private readonly byte[] heard = new byte[1 << 20], said = new byte[1 << 20];
        private int length;

        public void Deliver(byte[] bytes) => owner.OnBytes(this, bytes);

        public override void Start()
        {
        }

        public override void Flush(OutputBuffer output)
        {
            var start = output.Unsent.Span.StartsWith(FrameWriter.Preface) ? FrameWriter.Preface.Length : 0;
            output.Unsent.Span[start..].CopyTo(heard.AsSpan(length));
            length += output.Length - start;
            output.Clear();
        }

        /// <summary>Answers all that was heard in one piece.</summary>
        public void Answer()
        {
            var to = 0;
            for (var at = 0; at < length;)
            {
                var header = FrameHeader.Read(heard.AsSpan(at));
                var frame = heard.AsSpan(at, FrameHeader.Size + header.Length);
                var answer = header.Type == FrameType.Headers ? Headers : header.Type == FrameType.Data ? frame : [];
                answer.CopyTo(said.AsSpan(to));
                if (header.Type == FrameType.Headers)
                    BinaryPrimitives.WriteInt32BigEndian(said.AsSpan(to + FrameHeader.StreamOffset), header.StreamId);
                to += answer.Length;
                at += frame.Length;
            }
            length = 0;
            owner.OnBytes(this, said.AsSpan(0, to));
        }

        public override void Close()
        {
        }
    }
}
