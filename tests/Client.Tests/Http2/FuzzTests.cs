using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2;

/// <summary>
/// Checks that whatever a server sends, nothing is thrown, every call ends or can be cut off, and the connection is usable or reopened.
/// </summary>
public class FuzzTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Random_bytes_cause_no_exception(int seed)
    {
        var random = new Random(seed);
        for (var i = 0; i < 2000; i++)
        {
            var bytes = new byte[random.Next(1, 400)];
            random.NextBytes(bytes);
            Survives(random, bytes);
        }
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void Mutated_answers_cause_no_exception(int seed)
    {
        var random = new Random(seed);
        byte[] right =
        [
            .. Frames.Frame(6, 0, 0, new byte[8]), .. Frames.Reply(1, 10), .. Frames.Settings((4, 70000), (1, 100)),
            .. Frames.Reply(3, 10), .. Frames.WindowUpdate(5, 100),
            .. Frames.Frame(1, 0, 5, Frames.Block((":status", "200"))),
            .. Frames.Frame(9, 4, 5, Frames.Block(("content-type", "application/grpc"))),
            .. Frames.Frame(0, 8, 5, [3, .. Frames.Message(10), 0, 0, 0]), .. Frames.Trailers(5), .. Frames.GoAway(5),
        ];
        for (var i = 0; i < 2000; i++)
        {
            var bytes = right.ToArray();
            for (var change = random.Next(1, 6); change > 0; change--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            if (random.Next(4) == 0)
                bytes = bytes[..random.Next(1, bytes.Length)];
            Survives(random, bytes);
        }
    }

    [Theory]
    [InlineData(7)]
    [InlineData(8)]
    public void Random_frames_cause_no_exception(int seed)
    {
        var random = new Random(seed);
        for (var i = 0; i < 1500; i++)
        {
            var bytes = new List<byte>();
            for (var frame = random.Next(1, 12); frame > 0; frame--)
            {
                var payload = new byte[random.Next(4) == 0 ? random.Next(300) : random.Next(12)];
                random.NextBytes(payload);
                bytes.AddRange(Frames.Frame(random.Next(11), random.Next(256), random.Next(8), payload));
            }
            Survives(random, [.. bytes]);
        }
    }

    [Fact]
    public void Random_field_blocks_are_decoded_or_rejected()
    {
        var random = new Random(9);
        var decoder = new HpackDecoder(4096);
        var refused = 0;
        for (var i = 0; i < 20000; i++)
        {
            var block = new byte[random.Next(1, 60)];
            random.NextBytes(block);
            try
            {
                decoder.Decode(block);
            }
            catch (HpackException)
            {
                refused++;
                decoder = new HpackDecoder(4096);
            }
            Assert.InRange(decoder.TableSize, 0, 4096);
        }
        Assert.InRange(refused, 1, 19999);
    }

    private static void Survives(Random random, byte[] bytes)
    {
        var harness = new Http2Harness(streams: 3).Opened();
        var calls = Enumerable.Range(0, 3).Select(harness.Call).ToList();
        for (var at = 0; at < bytes.Length;)
        {
            var piece = random.Next(1, bytes.Length - at + 1);
            harness.Duplex.Deliver(bytes[at..(at + piece)]);
            at += piece;
        }
        Answers(harness.Connection);
        harness.Connection.CutOff(long.MaxValue);
        Assert.All(calls, call => Assert.True(call.IsCompletedSuccessfully));
        harness.Duplex.End();
        harness.Scheduler.HurryTimers(); // the connection may have been about to reopen
        harness.Duplex.Deliver(Frames.Settings());
        Assert.True(harness.Connection.IsReady);
        var next = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        Http2Harness.IsOk(next);
    }

    /// <summary>Queries the state of the connection, which must not throw in any state.</summary>
    private static void Answers(IConnection connection)
    {
        _ = connection.IsOpen;
        connection.Enter();
        connection.Leave();
        connection.CutOff(0);
    }
}
