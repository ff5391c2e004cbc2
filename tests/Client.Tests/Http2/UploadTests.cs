using Google.Protobuf;
using IpcBench.Client.Cli;
using IpcBench.Client.Dialing;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks uploaded payloads: the bytes on the wire, right replies, and that payloads are not copied.</summary>
public class UploadTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(5_000)]
    [InlineData(16_384)]
    [InlineData(100_000)]
    public void A_payload_is_uploaded_whole_and_the_reply_confirms_its_size(int size)
    {
        var harness = WithRoom(Options(size));
        for (var id = 1; id <= 5; id += 2)
        {
            var call = harness.Call();
            var sent = harness.Duplex.TakeFrames().Skip(1).ToList();
            Assert.All(sent, frame => Assert.InRange(frame.Payload.Length, 1, 16_384));
            byte[] bytes = [.. sent.SelectMany(frame => frame.Payload)];
            var payload = Payload.Parser.ParseFrom(bytes.AsSpan(GrpcFraming.PrefixLength)).Payload_;
            var expected = new byte[size];
            PayloadPattern.Fill(expected);
            Assert.True(payload.Span.SequenceEqual(expected));
            harness.Duplex.Deliver(Frames.Reply(id, new Received { Bytes = size, Messages = 1 }.ToByteArray()));
            IsOk(call, size);
        }
    }

    [Theory]
    [InlineData(99_999)]
    [InlineData(100_001)]
    [InlineData(0)]
    public void A_reply_that_confirms_another_size_fails_the_call(long received)
    {
        var harness = WithRoom(Options(100_000));
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, new Received { Bytes = received, Messages = 1 }.ToByteArray()));
        Failed("wrong length", call);
    }

    [Fact]
    public void An_upload_through_windows_of_any_size_loses_no_byte()
    {
        const int size = 60_000;
        var harness = new Http2Harness(Options(size)).Opened((InitialWindow, 0));
        var call = harness.Call();
        var (bytes, random, granted) = (new List<byte>(), new Random(5), 0);
        while (bytes.Count < size + 23)
        {
            var more = random.Next(1, 9_000);
            harness.Duplex.Deliver(Frames.WindowUpdate(1, (uint)more));
            harness.Duplex.Deliver(Frames.WindowUpdate(0, (uint)more));
            granted += more;
            bytes.AddRange(harness.Duplex.TakeFrames().Where(frame => frame.Header.Type == FrameType.Data).SelectMany(f => f.Payload));
            Assert.InRange(bytes.Count, 0, granted);
        }
        Assert.True(bytes.ToArray().AsSpan().SequenceEqual(PayloadFrame.ForSize(size)));
        harness.Duplex.Deliver(Frames.Reply(1, new Received { Bytes = size, Messages = 1 }.ToByteArray()));
        IsOk(call, size);
    }

    [Fact]
    public void The_output_keeps_the_order_of_copied_and_borrowed_bytes()
    {
        var (random, pool) = (new Random(3), new BufferPool(64));
        var output = new OutputBuffer(pool);
        var expected = new List<byte>();
        var parts = new ReadOnlyMemory<byte>[7];
        for (var step = 0; step < 20_000; step++)
        {
            var some = new byte[random.Next(0, 50)];
            random.NextBytes(some);
            switch (random.Next(4))
            {
                case 0:
                    output.Append(some);
                    expected.AddRange(some);
                    break;
                case 1:
                    output.Borrow(some);
                    expected.AddRange(some);
                    break;
                case 2:
                    var first = parts.AsSpan(0, output.Parts(parts)).ToArray().SelectMany(part => part.ToArray()).ToArray();
                    Assert.Equal(expected.Take(first.Length), first);
                    Assert.True(first.Length > 0 || expected.Count == 0);
                    break;
                default:
                    var sent = random.Next(0, Math.Min(expected.Count, 120) + 1);
                    output.Sent(sent);
                    expected.RemoveRange(0, sent);
                    break;
            }
            Assert.Equal((expected.Count, expected.Count == 0), (output.Length, output.IsEmpty));
        }
        var all = new byte[expected.Count];
        output.CopyTo(all);
        Assert.Equal(expected, all);
    }

    [Fact]
    public void An_upload_allocates_nothing_and_copies_no_payload()
    {
        var pool = new BufferPool();
        var output = new OutputBuffer(pool);
        var payload = new byte[1_000_000];
        void Upload()
        {
            for (var at = 0; at < payload.Length; at += 16_384)
            {
                output.Append(9);
                output.Borrow(payload.AsMemory(at, Math.Min(16_384, payload.Length - at)));
            }
            output.Sent(output.Length);
        }
        Upload();
        var allocated = Allocated.By(() =>
        {
            for (var i = 0; i < 100; i++)
                Upload();
        });
        Assert.InRange(allocated, 0, 1_000);
    }

    [Fact]
    public async Task The_server_of_this_tool_handles_uploads_and_downloads_together()
    {
        var options = Typed.Read(
            Preset.Main, "--transports", "tcp,tls,unix,pipe", "--mode", "unary,upload", "-s", "10,1M", "-c", "3", "-m", "2");
        await using var servers = await Typed.ServersAsync(options);
        var cells = new BenchPlan(options, servers.Targets).Cells;
        Assert.Equal(["pipe", "pipe upload", "tcp", "tcp upload", "tls", "tls upload", "unix", "unix upload"],
            cells.Select(cell => cell.Record.Key.Arm).Distinct().Order(StringComparer.Ordinal));
        Assert.Equal(16, cells.Count);
        foreach (var cell in cells)
        {
            var result = await TestLoad.MeasureAsync(cell.Load, new Client.Engine.LoadWindow { Calls = 60 });
            Assert.Equal((60, 60 * cell.Load.Size), (result.Ok, result.Replies.Bytes));
        }
    }

    private static Http2Options Options(int size) => new()
    {
        Request = Http2Request.Payload("localhost", tls: false, "/a.B/Up", size),
        Size = size,
        Reply = ReplyKind.Received,
        Streams = 1,
    };
}
