using System.Buffers.Binary;
using Google.Protobuf;
using IpcBench.Client.CalibrationServer;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.CalibrationServer;

public class ResponderConnectionTests
{
    private static byte[] Call(int stream, long size) =>
    [
        .. Frames.Frame(1, Frames.EndHeaders, stream, 0x82),
        .. Frames.Data(stream, Request(size), end: true),
    ];

    private static byte[] Request(long size) => Frames.Prefixed(new DownloadRequest { Size = size }.ToByteArray());

    private static byte[] Settings(int initialWindow) => Frames.Settings((4, (uint)initialWindow));

    private static byte[] Credit(int stream, int increment) => Frames.WindowUpdate(stream, (uint)increment);

    private static ResponderConnection Begun(out List<(FrameHeader Header, byte[] Payload)> greeting)
    {
        var connection = new ResponderConnection(new ReplyShelf());
        Assert.True(connection.Take(FrameWriter.Preface));
        greeting = Output(connection);
        return connection;
    }

    /// <summary>All frames it wants to send, fetched in pieces of <paramref name="piece"/> bytes.</summary>
    private static List<(FrameHeader Header, byte[] Payload)> Output(ResponderConnection connection, int piece = 64 * 1024)
    {
        var all = new MemoryStream();
        var buffer = new byte[piece];
        for (var filled = connection.Fill(buffer); filled > 0; filled = connection.Fill(buffer))
            all.Write(buffer.AsSpan(0, filled));
        return Frames.Cut(all.ToArray());
    }

    private static byte[] Payload(IEnumerable<(FrameHeader Header, byte[] Payload)> frames) =>
        [.. frames.Where(frame => frame.Header.Type == FrameType.Data).SelectMany(frame => frame.Payload)];

    [Fact]
    public void It_greets_with_settings_and_a_wide_window()
    {
        Begun(out var greeting);

        Assert.Equal([FrameType.Settings, FrameType.WindowUpdate], greeting.Select(frame => frame.Header.Type));
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

        Assert.Equal([FrameType.Headers, FrameType.Data, FrameType.Headers], frames.Select(frame => frame.Header.Type));
        Assert.Equal(
            [FrameFlags.EndHeaders, FrameFlags.None, FrameFlags.EndHeaders | FrameFlags.EndStream],
            frames.Select(frame => frame.Header.Flags));
        Assert.All(frames, frame => Assert.Equal(7, frame.Header.StreamId));
        Assert.Equal(message, frames[1].Payload.Length);
        Assert.Equal(message - 5, BinaryPrimitives.ReadInt32BigEndian(frames[1].Payload.AsSpan(1)));
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

        foreach (var part in input.Chunk(piece))
            Assert.True(connection.Take(part));
        var frames = Output(connection, piece);

        Assert.Equal([1, 3, 5], frames.Where(frame => frame.Header.Type != FrameType.Settings)
            .Select(frame => frame.Header.StreamId).Distinct());
        var replies = frames.Where(frame => frame.Header.StreamId > 0).GroupBy(frame => frame.Header.StreamId);
        Assert.Equal([5 + 4 + 50_000, 5 + 2 + 10, 5 + 4 + 20_000], replies.Select(reply => Payload(reply).Length));
        Assert.All(frames, frame => Assert.InRange(frame.Payload.Length, 0, FrameReader.MaxFrame));
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
        Assert.Equal(FrameFlags.EndHeaders | FrameFlags.EndStream, rest[^1].Header.Flags);
    }

    [Fact]
    public void A_ping_and_settings_are_acknowledged_and_a_reset_reply_is_not_sent()
    {
        var connection = Begun(out _);

        connection.Take(
        [
            .. Settings(1000), .. Call(1, 10), .. Frames.Reset(1, 8), .. Frames.Frame(6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8),
        ]);
        var frames = Output(connection);

        Assert.Equal([FrameType.Settings, FrameType.Ping], frames.Select(frame => frame.Header.Type));
        Assert.All(frames, frame => Assert.Equal(FrameFlags.Ack, frame.Header.Flags));
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], frames[1].Payload);
    }

    [Fact]
    public void Request_bytes_are_credited_so_that_a_client_never_runs_out()
    {
        var connection = Begun(out _);

        for (var stream = 1; stream < 300; stream += 2)
            connection.Take(Frames.Data(stream, new byte[FrameReader.MaxFrame]));

        Assert.Contains(Output(connection), frame => frame.Header.Type == FrameType.WindowUpdate && frame.Header.StreamId == 0);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n\r\n and more of it")]
    [InlineData("PRI * HTTP/2.1")]
    public void Anything_but_HTTP_2_is_refused(string text) =>
        Assert.False(new ResponderConnection(new ReplyShelf()).Take(System.Text.Encoding.ASCII.GetBytes(text)));
}
