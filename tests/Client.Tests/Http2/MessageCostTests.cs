using System.Buffers.Binary;
using Google.Protobuf;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks what a message costs the client besides system calls. The other side answers from memory.</summary>
public class MessageCostTests
{
    private const int Streams = 80;

    [Theory]
    [InlineData("ping-pong", 10)]
    [InlineData("ping-pong", 1_000)]
    [InlineData("push", 10)]
    [InlineData("push", 20_000)] // the payload is not copied
    [InlineData("pull", 10)]
    [InlineData("pull", 1_000)]
    [InlineData("upload", 10)]
    [InlineData("upload", 20_000)]
    public void Nothing_is_allocated_for_a_message(string mode, int size)
    {
        var load = new Load(mode, size);
        load.Run(turns: 10);
        Assert.Equal(0, Allocated.By(() => load.Run(turns: 50)));
    }

    /// <summary>Several streams of one connection, with one call in flight each.</summary>
    private sealed class Load
    {
        private readonly Mirror mirror;
        private readonly ReconnectingHttp2Connection client;
        private readonly Queue<(Action<object?> Action, object? State)> posted = [];
        private readonly ValueTask<CallResult>[] calls = new ValueTask<CallResult>[Streams];

        public Load(string mode, int size)
        {
            mirror = new Mirror(mode, size);
            client = new ReconnectingHttp2Connection(new SyncScheduler { Posted = posted }, mirror, new Http2Options
            {
                Request = Http2Request.Payload("localhost", tls: false, "/a.B/C", mode == CallMode.Pull ? 0 : size),
                Size = size,
                Reply = ReplyKind.Received,
                IsStream = CallMode.IsStream(mode),
                Flow = CallMode.FlowOf(mode),
                Streams = Streams,
            });
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
                while (posted.TryDequeue(out var one))
                    one.Action(one.State);
                mirror.Answer();
                foreach (var call in calls)
                    Assert.True(call.IsCompletedSuccessfully && call.GetAwaiter().GetResult().IsOk);
            }
        }
    }

    private sealed class Mirror(string mode, int size) : Dialer(usesLoops: true)
    {
        private Mirrored? opened;

        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            new(opened = new Mirrored(owner, mode, size));

        public void Deliver(byte[] bytes) => opened!.Deliver(bytes);

        public void Answer() => opened!.Answer();
    }

    /// <summary>
    /// A server. In ping-pong it answers each DATA frame with the same bytes, and in upload each last frame with the received size. In push
    /// it does not answer. In pull it sends each stream its next message. Headers come before the first DATA of a stream.
    /// </summary>
    private sealed class Mirrored(IDuplexOwner owner, string mode, int size) : Duplex
    {
        private static readonly byte[] Headers = Frames.ResponseHeaders(1), Trailers = Frames.Trailers(1);

        private readonly byte[] heard = new byte[4 << 20], said = new byte[4 << 20];
        private readonly byte[] received =
            Frames.Data(1, Frames.Prefixed(new Received { Bytes = size, Messages = 1 }.ToByteArray()));
        private readonly byte[] message = Frames.Data(1, PayloadFrame.ForSize(size));
        private int length, to;
        private uint turn;

        public void Deliver(byte[] bytes) => owner.OnBytes(this, bytes);

        public override void Start()
        {
        }

        public override void Flush(OutputBuffer output)
        {
            output.CopyTo(heard.AsSpan(length));
            var preface = heard.AsSpan(length).StartsWith(FrameWriter.Preface) ? FrameWriter.Preface.Length : 0;
            length += output.Length;
            if (preface > 0)
                heard.AsSpan(preface, length -= preface).CopyTo(heard);
            output.Sent(output.Length);
        }

        /// <summary>Answers all received frames in one piece.</summary>
        public void Answer()
        {
            to = 0;
            for (var at = 0; at < length;)
            {
                var header = FrameHeader.Read(heard.AsSpan(at));
                var frame = heard.AsSpan(at, FrameHeader.Size + header.Length);
                at += frame.Length;
                if (header.Type == FrameType.Headers && mode != CallMode.Push)
                    Say(Headers, header.StreamId);
                else if (header.Type == FrameType.Data && mode == CallMode.PingPong)
                    Say(frame, header.StreamId);
                if (header.Type != FrameType.Data || mode != CallMode.Upload || !header.Has(FrameFlags.EndStream))
                    continue;
                Say(received, header.StreamId);
                Say(Trailers, header.StreamId);
            }
            length = 0;
            if (mode == CallMode.Pull)
            {
                PayloadFrame.Number(message.AsSpan(FrameHeader.Size), 1, turn++);
                for (var stream = 0; stream < Streams; stream++)
                    Say(message, 2 * stream + 1);
            }
            if (to > 0)
                owner.OnBytes(this, said.AsSpan(0, to));
        }

        public override void Close()
        {
        }

        private void Say(ReadOnlySpan<byte> frame, int stream)
        {
            frame.CopyTo(said.AsSpan(to));
            BinaryPrimitives.WriteInt32BigEndian(said.AsSpan(to + FrameHeader.StreamOffset), stream);
            to += frame.Length;
        }
    }
}
