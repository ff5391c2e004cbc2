using System.Buffers;

namespace IpcBench.Http2.Tests;

/// <summary>Writes frames as bytes, and reads frames from bytes that are cut at any place.</summary>
public class FrameReaderTests
{
    [Fact]
    public void Written_frames_have_the_bytes_of_RFC_9113()
    {
        Wrote("000008 06 01 00000000 0102030405060708", output =>
            output.WriteFrame(FrameType.Ping, FrameFlags.Ack, 0, 1, 2, 3, 4, 5, 6, 7, 8));
        Wrote("000000 01 05 7fffffff", output =>
            output.WriteFrame(FrameType.Headers, FrameFlags.EndHeaders | FrameFlags.EndStream, int.MaxValue));
        Wrote("000004 08 00 01020304 7fffffff", output => output.WriteWindowUpdate(0x01020304, int.MaxValue));
        Wrote("000004 03 00 00000005 00000008", output => output.WriteReset(5, Http2Error.Cancel));
        Wrote("000008 07 00 00000000 00000007 0000000b", output => output.WriteGoAway(7, Http2Error.EnhanceYourCalm));
        Wrote(
            "000024 04 00 00000000 0001 00000001 0002 00000000 0003 00000064 0004 0000ffff 0005 00004000 0006 ff020304",
            output => output.WriteSettings(
                (SettingId.HeaderTableSize, 1u), (SettingId.EnablePush, 0u), (SettingId.MaxConcurrentStreams, 100u),
                (SettingId.InitialWindowSize, 65_535u), (SettingId.MaxFrameSize, 16_384u), (SettingId.MaxHeaderListSize, 0xff020304)));
        // At most 64 KiB of fields, and a window of 2^30 - 1 bytes for each stream and for the connection.
        Wrote("000012 04 00 00000000 0002 00000000 0004 3fffffff 0006 00010000 000004 08 00 00000000 3fff0000",
            new ReceiveWindow(ReceiveWindow.Ample).WriteSettings);
        Assert.Equal("0102030000000000010000", Convert.ToHexString(Bytes(output =>
            output.WriteFrame(FrameType.Data, FrameFlags.None, 1, new byte[0x010203]))[..11]));
        Assert.Equal(
            Enumerable.Range(0, 10),
            new[]
            {
                FrameType.Data, FrameType.Headers, FrameType.Priority, FrameType.RstStream, FrameType.Settings, FrameType.PushPromise,
                FrameType.Ping, FrameType.GoAway, FrameType.WindowUpdate, FrameType.Continuation,
            }.Select(type => (int)type));
    }

    [Fact]
    public void The_reserved_bit_of_a_frame_header_is_neither_read_nor_written()
    {
        var header = FrameHeader.Read(Hex("0a0b0c 09 24 ff020304"));
        Assert.Equal(new FrameHeader(0x0a0b0c, FrameType.Continuation, FrameFlags.Priority | FrameFlags.EndHeaders, 0x7f020304), header);
        Assert.True(header.Has(FrameFlags.Priority));
        Assert.False(header.Has(FrameFlags.Padded));
        var bytes = new byte[FrameHeader.Size];
        header.Write(bytes);
        Assert.Equal((0x24, 0x7f), (bytes[FrameHeader.FlagsOffset], bytes[FrameHeader.StreamOffset]));
    }

    [Fact]
    public void The_same_frames_are_read_wherever_the_bytes_are_split()
    {
        var bytes = Bytes(output =>
        {
            output.WriteFrame(FrameType.Settings, FrameFlags.None, 0);
            output.WriteFrame(FrameType.Data, FrameFlags.None, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            output.WriteFrame(FrameType.Data, FrameFlags.EndStream, 3);
            output.WriteFrame(FrameType.Data, FrameFlags.Padded, 5, 2, 7, 8, 0, 0);
            output.WriteFrame(FrameType.Data, FrameFlags.EndStream, 7, 1);
            foreach (var size in (int[])[8, 55, 56, 57, 300])
                output.WriteFrame((FrameType)0x42, FrameFlags.None, size, Numbered(size));
        });
        string[] frames =
        [
            "Settings 0 0 ", "data 0 1 0102030405060708090A", "data 1 3 ", "Data 8 5 0207080000", "data 1 7 01",
            .. ((int[])[8, 55, 56, 57, 300]).Select(size => $"66 0 {size} {Convert.ToHexString(Numbered(size))}"),
        ];
        foreach (var piece in (int[])[.. Enumerable.Range(1, 75), bytes.Length])
        {
            var handler = new Heard();
            var reader = new FrameReader(handler);
            foreach (var part in bytes.Chunk(piece))
                reader.Read(part);
            Assert.Equal(frames, handler.Frames);
        }
    }

    [Fact]
    public void A_frame_has_at_most_16384_bytes()
    {
        var handler = new Heard();
        var reader = new FrameReader(handler);
        foreach (var type in (FrameType[])[FrameType.Data, FrameType.Continuation])
        {
            var whole = Bytes(output => output.WriteFrame(type, FrameFlags.None, 1, new byte[16_384]));
            reader.Read(whole.AsSpan(0, 70));
            reader.Read(whole.AsSpan(70));
            reader.Read(whole);
            foreach (var cut in (int[])[5, 9])
            {
                var broken = new FrameReader(handler);
                var header = Bytes(output => output.WriteFrame(type, FrameFlags.None, 1, new byte[16_385])).AsMemory(0, 9);
                broken.Read(header.Span[..(9 - cut)]);
                var thrown = Assert.Throws<Http2Exception>(() => broken.Read(header.Span[(9 - cut)..]));
                Assert.Equal((Http2Error.FrameSize, "a frame larger than SETTINGS_MAX_FRAME_SIZE"), (thrown.Error, thrown.Message));
            }
        }
        Assert.Equal(4, handler.Frames.Count);
    }

    [Fact]
    public void Bytes_after_the_end_of_the_connection_are_dropped()
    {
        var handler = new Heard { ClosesAfter = 2 };
        var reader = new FrameReader(handler);
        var ping = Bytes(output => output.WriteFrame(FrameType.Ping, FrameFlags.None, 0, new byte[8]));
        reader.Read([.. ping, .. ping, .. ping, .. ping[..5]]);
        reader.Read(ping);
        Assert.Equal(2, handler.Frames.Count);
    }

    [Theory]
    [InlineData("Ping", 8, 0, null)]
    [InlineData("Ping", 7, 0, Http2Error.FrameSize)]
    [InlineData("Ping", 9, 0, Http2Error.FrameSize)]
    [InlineData("Ping", 8, 1, Http2Error.Protocol)]
    [InlineData("GoAway", 8, 0, null)]
    [InlineData("GoAway", 9, 0, null)]
    [InlineData("GoAway", 7, 0, Http2Error.FrameSize)]
    [InlineData("GoAway", 8, 1, Http2Error.Protocol)]
    [InlineData("WindowUpdate", 4, 1, null)]
    [InlineData("WindowUpdate", 3, 1, Http2Error.FrameSize)]
    [InlineData("WindowUpdate", 5, 1, Http2Error.FrameSize)]
    [InlineData("Padding", 1, 1, Http2Error.Protocol)]
    [InlineData("Padding", 0, 1, Http2Error.Protocol)]
    [InlineData("Priority", 4, 1, Http2Error.FrameSize)]
    [InlineData("Priority", 5, 1, null)]
    public void Frames_of_a_wrong_length_or_on_a_wrong_stream_are_rejected(string what, int length, int stream, Http2Error? error)
    {
        var bytes = Enumerable.Repeat((byte)0xff, length).ToArray();
        var header = new FrameHeader(length, default, default, stream);
        var thrown = Record.Exception(() =>
        {
            switch (what)
            {
                case "Ping":
                    FrameRules.Ping(header);
                    break;
                case "GoAway":
                    Assert.Equal(int.MaxValue, FrameRules.GoAway(header, bytes)); // without the reserved bit
                    break;
                case "WindowUpdate":
                    Assert.Equal(int.MaxValue, FrameRules.WindowUpdate(header, bytes));
                    break;
                case "Padding":
                    FrameRules.WithoutPadding(header with { Flags = FrameFlags.Padded }, bytes);
                    break;
                default:
                    Assert.Equal(0, FrameRules.WithoutPriority(header with { Flags = FrameFlags.Priority }, bytes).Length);
                    break;
            }
        });
        Assert.Equal(error, (thrown as Http2Exception)?.Error);
        Assert.True(thrown is null or Http2Exception, thrown?.ToString());
    }

    [Fact]
    public void Padding_and_priority_are_removed()
    {
        var (plain, padded) = (new FrameHeader(0, default, default, 1), new FrameHeader(0, default, FrameFlags.Padded, 1));
        Assert.Equal([2, 7, 8, 0, 0], FrameRules.WithoutPadding(plain, [2, 7, 8, 0, 0]).ToArray());
        Assert.Equal([7, 8], FrameRules.WithoutPadding(padded, [2, 7, 8, 0, 0]).ToArray());
        Assert.Equal([7], FrameRules.WithoutPadding(padded, [0, 7]).ToArray());
        Assert.Empty(FrameRules.WithoutPadding(padded, [1, 0]).ToArray());
        Assert.Throws<Http2Exception>(() => FrameRules.WithoutPadding(padded, [2, 0]).Length);
        Assert.Equal([0, 0, 0, 0, 0, 9], FrameRules.WithoutPriority(plain, [0, 0, 0, 0, 0, 9]).ToArray());
        Assert.Equal([9], FrameRules.WithoutPriority(plain with { Flags = FrameFlags.Priority }, [0, 0, 0, 0, 0, 9]).ToArray());
        Assert.Equal((Http2Error.Protocol, Http2Error.FlowControl), (FrameRules.WindowError(0), FrameRules.WindowError(1)));
    }

    [Theory]
    [InlineData("0001 ffffffff", 0, int.MaxValue, long.MaxValue, 65_535)]
    [InlineData("0001 00000064 0002 00000000 0003 00000000", 0, 100, 0, 65_535)]
    [InlineData("0004 7fffffff", int.MaxValue - 65_535, 4096, long.MaxValue, int.MaxValue)]
    [InlineData("0004 00000000 0004 00000001", 1 - 65_535, 4096, long.MaxValue, 1)]
    [InlineData("0005 00004000 0005 00ffffff 0006 00000000 00ff 00000007", 0, 4096, long.MaxValue, 65_535)]
    [InlineData("", 0, 4096, long.MaxValue, 65_535)]
    public void Settings_of_the_server_are_applied(string hex, long delta, int table, long streams, long window)
    {
        var settings = new PeerSettings();
        Assert.Equal(delta, settings.Apply(Hex(hex)));
        Assert.Equal((table, streams, window), (settings.HeaderTableSize, settings.MaxConcurrentStreams, settings.InitialWindow));
    }

    [Theory]
    [InlineData("0002 00000001", Http2Error.Protocol)]
    [InlineData("0002 00000002", Http2Error.Protocol)]
    [InlineData("0004 80000000", Http2Error.FlowControl)]
    [InlineData("0005 00003fff", Http2Error.Protocol)]
    [InlineData("0005 01000000", Http2Error.Protocol)]
    [InlineData("0001 000000", Http2Error.FrameSize)]
    [InlineData("00", Http2Error.FrameSize)]
    [InlineData("0001 00000064 00", Http2Error.FrameSize)]
    public void Settings_that_are_not_allowed_end_the_connection(string hex, Http2Error error) =>
        Assert.Equal(error, Assert.Throws<Http2Exception>(() => new PeerSettings().Apply(Hex(hex))).Error);

    [Fact]
    public void A_truncated_setting_is_not_read()
    {
        ReadOnlySpan<byte> bytes = Hex("0003 00000064 0004 000000");
        Assert.True(Http2Settings.TryRead(ref bytes, out var id, out var value));
        Assert.Equal((SettingId.MaxConcurrentStreams, 100u), (id, value));
        Assert.False(Http2Settings.TryRead(ref bytes, out id, out value));
        Assert.Equal(((SettingId)0, 0u, 5), (id, value, bytes.Length));
    }

    private static byte[] Hex(string text) => Convert.FromHexString(text.Replace(" ", ""));

    private static byte[] Numbered(int size) => [.. Enumerable.Range(0, size).Select(number => (byte)number)];

    private static byte[] Bytes(Action<IBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>();
        write(output);
        return output.WrittenSpan.ToArray();
    }

    private static void Wrote(string hex, Action<IBufferWriter<byte>> write) =>
        Assert.Equal(hex.Replace(" ", ""), Convert.ToHexStringLower(Bytes(write)));

    private sealed class Heard : IFrameHandler
    {
        private readonly List<byte> data = [];
        private FrameHeader begun;

        public List<string> Frames { get; } = [];

        public int ClosesAfter { get; init; } = int.MaxValue;

        public bool IsClosed => Frames.Count >= ClosesAfter;

        public void OnFrame(FrameHeader header, ReadOnlySpan<byte> payload) =>
            Frames.Add($"{header.Type} {(int)header.Flags} {header.StreamId} {Convert.ToHexString(payload)}");

        public void OnDataBegin(FrameHeader header)
        {
            data.Clear();
            begun = header;
        }

        public void OnDataBytes(ReadOnlySpan<byte> bytes) => data.AddRange(bytes);

        public void OnDataEnd() => Frames.Add($"data {(int)begun.Flags} {begun.StreamId} {Convert.ToHexString([.. data])}");
    }
}
