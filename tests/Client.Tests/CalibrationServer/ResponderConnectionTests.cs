using System.Buffers.Binary;
using IpcBench.Client.CalibrationServer;

namespace IpcBench.Client.Tests.CalibrationServer;

public class ResponderConnectionTests
{
    private static readonly byte[] Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    private sealed record Sent(byte Type, byte Flags, int Stream, byte[] Content);

    private static byte[] Call(int stream, long size) =>
    [
        .. ReplyFrame.Of(ReplyFrame.Headers, ReplyFrame.EndHeaders, stream, 0x82),
        .. ReplyFrame.Of(ReplyFrame.Data, ReplyFrame.EndStream, stream, Request(size)),
    ];

    private static byte[] Request(long size)
    {
        var field = new List<byte>();
        if (size > 0)
            field.Add(0x08);
        for (var rest = size; rest > 0; rest >>= 7)
            field.Add((byte)(rest < 0x80 ? rest : rest | 0x80));
        return [0, 0, 0, 0, (byte)field.Count, .. field];
    }

    private static byte[] Settings(int initialWindow)
    {
        var frame = ReplyFrame.Of(ReplyFrame.Settings, 0, 0, 0, 4, 0, 0, 0, 0);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(ReplyFrame.HeaderSize + 2), initialWindow);
        return frame;
    }

    private static byte[] Credit(int stream, int increment)
    {
        var frame = ReplyFrame.WindowUpdateOf(increment);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(ReplyFrame.StreamOffset), stream);
        return frame;
    }

    private static ResponderConnection Begun(out List<Sent> greeting)
    {
        var connection = new ResponderConnection(new ReplyShelf());
        Assert.Equal(Preface.Length, connection.Take(Preface));
        greeting = Output(connection);
        return connection;
    }

    /// <summary>All frames it wants to send, fetched in pieces of <paramref name="piece"/> bytes.</summary>
    private static List<Sent> Output(ResponderConnection connection, int piece = 64 * 1024)
    {
        var all = new MemoryStream();
        var buffer = new byte[piece];
        for (var filled = connection.Fill(buffer); filled > 0; filled = connection.Fill(buffer))
            all.Write(buffer.AsSpan(0, filled));
        var frames = new List<Sent>();
        for (var rest = all.ToArray().AsSpan(); rest.Length > 0;)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(rest) >>> 8;
            frames.Add(new Sent(rest[3], rest[4], BinaryPrimitives.ReadInt32BigEndian(rest[5..]), rest.Slice(9, length).ToArray()));
            rest = rest[(9 + length)..];
        }
        return frames;
    }

    private static byte[] Payload(IEnumerable<Sent> frames) =>
        [.. frames.Where(frame => frame.Type == ReplyFrame.Data).SelectMany(frame => frame.Content)];

    [Fact]
    public void It_greets_with_settings_and_a_wide_window()
    {
        Begun(out var greeting);

        Assert.Equal([ReplyFrame.Settings, ReplyFrame.WindowUpdate], greeting.Select(frame => frame.Type));
    }

    [Theory]
    [InlineData(0, 5)]
    [InlineData(10, 5 + 2 + 10)]
    [InlineData(1000, 5 + 3 + 1000)]
    public void A_call_is_answered_with_headers_a_message_of_the_size_asked_for_and_trailers(long size, int message)
    {
        var connection = Begun(out _);

        connection.Take(Call(7, size));
        var frames = Output(connection);

        Assert.Equal([ReplyFrame.Headers, ReplyFrame.Data, ReplyFrame.Headers], frames.Select(frame => frame.Type));
        Assert.Equal(
            [ReplyFrame.EndHeaders, (byte)0, (byte)(ReplyFrame.EndHeaders | ReplyFrame.EndStream)], frames.Select(frame => frame.Flags));
        Assert.All(frames, frame => Assert.Equal(7, frame.Stream));
        Assert.Equal(message, frames[1].Content.Length);
        Assert.Equal(message - 5, BinaryPrimitives.ReadInt32BigEndian(frames[1].Content.AsSpan(1)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(13)]
    [InlineData(4096)]
    public void Cut_anywhere_on_the_way_in_and_out_the_bytes_are_the_same(int piece)
    {
        var connection = Begun(out _);
        connection.Take(Settings(1 << 24));
        connection.Take(Credit(0, 1 << 24));
        byte[] input = [.. Call(1, 50_000), .. Call(3, 10), .. Call(5, 20_000)];

        var held = Array.Empty<byte>();
        foreach (var part in input.Chunk(piece))
        {
            held = [.. held, .. part];
            held = held[connection.Take(held)..];
        }
        var frames = Output(connection, piece);

        Assert.Empty(held);
        Assert.Equal([1, 3, 5], frames.Where(frame => frame.Type != ReplyFrame.Settings).Select(frame => frame.Stream).Distinct());
        var replies = frames.Where(frame => frame.Stream > 0).GroupBy(frame => frame.Stream);
        Assert.Equal([5 + 4 + 50_000, 5 + 2 + 10, 5 + 4 + 20_000], replies.Select(reply => Payload(reply).Length));
        Assert.All(frames, frame => Assert.InRange(frame.Content.Length, 0, ReplyFrame.LargestContent));
    }

    [Fact]
    public void It_waits_for_both_windows_and_goes_on_with_credit()
    {
        var connection = Begun(out _);
        connection.Take(Settings(40_000));

        connection.Take(Call(1, 100_000));
        var sent = Payload(Output(connection)).Length;
        Assert.InRange(sent, 20_000, 40_000);

        connection.Take(Credit(1, 1_000_000));
        sent += Payload(Output(connection)).Length;
        Assert.InRange(sent, 40_000, 65_535);

        connection.Take(Credit(0, 1_000_000));
        var rest = Output(connection);
        Assert.Equal(100_000 + 5 + 4, sent + Payload(rest).Length);
        Assert.Equal(ReplyFrame.EndHeaders | ReplyFrame.EndStream, rest[^1].Flags);
    }

    [Fact]
    public void A_ping_and_settings_are_acknowledged_and_a_reset_reply_is_not_sent()
    {
        var connection = Begun(out _);

        connection.Take(
        [
            .. Settings(1000), .. Call(1, 10), .. ReplyFrame.Of(ReplyFrame.ResetStream, 0, 1, 0, 0, 0, 8),
            .. ReplyFrame.Of(ReplyFrame.Ping, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8),
        ]);
        var frames = Output(connection);

        Assert.Equal([ReplyFrame.Settings, ReplyFrame.Ping], frames.Select(frame => frame.Type));
        Assert.All(frames, frame => Assert.Equal(ReplyFrame.Acknowledge, frame.Flags));
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], frames[1].Content);
    }

    [Fact]
    public void Request_bytes_are_credited_so_that_a_client_never_runs_out()
    {
        var connection = Begun(out _);

        for (var stream = 1; stream < 300; stream += 2)
            connection.Take(ReplyFrame.Of(ReplyFrame.Data, 0, stream, new byte[ReplyFrame.LargestContent]));

        Assert.Contains(Output(connection), frame => frame.Type == ReplyFrame.WindowUpdate && frame.Stream == 0);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n\r\n and more of it")]
    [InlineData("PRI * HTTP/2.1")]
    public void Anything_but_HTTP_2_is_refused(string text) =>
        Assert.Equal(-1, new ResponderConnection(new ReplyShelf()).Take(System.Text.Encoding.ASCII.GetBytes(text)));
}
