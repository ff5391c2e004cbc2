using System.Buffers;
using System.Buffers.Binary;

namespace IpcBench.Http2.Tests;

/// <summary>Frames, windows and field blocks at their limits, with the numbers of RFC 9113 written out.</summary>
public class FrameTests
{
    [Theory]
    [InlineData(65_535, null)]
    [InlineData(65_536, 1)]
    [InlineData(100_000, 34_465)]
    [InlineData(1_000, null)]
    public void A_window_above_the_default_is_also_set_for_the_connection(int window, int? increment)
    {
        var output = new ArrayBufferWriter<byte>();
        new ReceiveWindow(window).WriteSettings(output);
        var (settings, rest) = Frame(output.WrittenSpan.ToArray());
        Assert.Equal((FrameType.Settings, 18), (settings.Type, settings.Length));
        Assert.Equal(window, BinaryPrimitives.ReadInt32BigEndian(output.WrittenSpan[(FrameHeader.Size + 8)..]));
        if (increment is null)
        {
            Assert.Empty(rest);
            return;
        }
        var (update, _) = Frame(rest);
        Assert.Equal((FrameType.WindowUpdate, 0), (update.Type, update.StreamId));
        Assert.Equal(increment, BinaryPrimitives.ReadInt32BigEndian(rest.AsSpan(FrameHeader.Size)));
    }

    [Fact]
    public void Error_codes_have_the_numbers_of_RFC_9113() => Assert.Equal(
        Enumerable.Range(0, 14),
        new[]
        {
            Http2Error.None, Http2Error.Protocol, Http2Error.Internal, Http2Error.FlowControl, Http2Error.SettingsTimeout,
            Http2Error.StreamClosed, Http2Error.FrameSize, Http2Error.RefusedStream, Http2Error.Cancel, Http2Error.Compression,
            Http2Error.Connect, Http2Error.EnhanceYourCalm, Http2Error.InadequateSecurity, Http2Error.Http11Required,
        }.Select(error => (int)error));

    [Theory]
    [InlineData(5, 1, null)]
    [InlineData(4, 1, Http2Error.FrameSize)]
    [InlineData(6, 1, Http2Error.FrameSize)]
    [InlineData(5, 0, Http2Error.Protocol)]
    public void A_PRIORITY_frame_has_five_bytes_and_a_stream(int length, int stream, Http2Error? error) => Assert.Equal(
        error,
        (Record.Exception(() => FrameRules.Priority(new FrameHeader(length, FrameType.Priority, FrameFlags.None, stream)))
            as Http2Exception)?.Error);

    [Fact]
    public void A_window_accepts_data_up_to_its_last_byte_and_rejects_one_byte_more()
    {
        var window = new ReceiveWindow(100_000);
        var stream = 0;
        window.Take(100_000);
        window.Take(100_000, ref stream);
        Assert.Equal(Http2Error.FlowControl, Assert.Throws<Http2Exception>(() => window.Take(1)).Error);
        Assert.Equal(Http2Error.FlowControl, Assert.Throws<Http2Exception>(() => window.Take(1, ref stream)).Error);
    }

    [Fact]
    public void A_window_that_is_more_than_half_used_is_restored_to_its_full_size()
    {
        var (window, output, stream) = (new ReceiveWindow(100_000), new ArrayBufferWriter<byte>(), 50_000);
        window.Take(50_000);
        window.CreditConnection(output);
        window.CreditStream(7, ref stream, output);
        Assert.Equal((0, 50_000), (output.WrittenCount, stream));
        window.Take(1);
        stream++;
        window.CreditConnection(output);
        window.CreditStream(7, ref stream, output);
        var (connection, rest) = Frame(output.WrittenSpan.ToArray());
        Assert.Equal((0, 50_001), (connection.StreamId, BinaryPrimitives.ReadInt32BigEndian(output.WrittenSpan[FrameHeader.Size..])));
        Assert.Equal((7, 50_001), (Frame(rest).Header.StreamId, BinaryPrimitives.ReadInt32BigEndian(rest.AsSpan(FrameHeader.Size))));
        Assert.Equal(0, stream);
        window.Take(100_000);
    }

    [Theory]
    [InlineData(127, true)]
    [InlineData(128, false)]
    public void A_field_block_of_more_than_128_frames_is_rejected(int continuations, bool isTaken)
    {
        var blocks = new HeaderBlocks();
        blocks.Take(new FrameHeader(0, FrameType.Headers, FrameFlags.None, 1), [], out _);
        var taking = () =>
        {
            for (var i = 1; i <= continuations; i++)
                blocks.Take(new FrameHeader(0, FrameType.Continuation, FrameFlags.None, 1), [], out _);
        };
        if (isTaken)
            taking();
        else
            Assert.Equal(Http2Error.EnhanceYourCalm, Assert.Throws<Http2Exception>(taking).Error);
    }

    [Fact]
    public void A_frame_in_several_parts_is_passed_on_when_it_is_complete()
    {
        var handler = new Heard();
        var reader = new FrameReader(handler);
        var output = new ArrayBufferWriter<byte>();
        output.WriteFrame(FrameType.Ping, FrameFlags.None, 0, 1, 2, 3, 4, 5, 6, 7, 8);
        output.WriteFrame(FrameType.Ping, FrameFlags.Ack, 0, 8, 7, 6, 5, 4, 3, 2, 1);
        var bytes = output.WrittenSpan.ToArray();
        // The cuts are in the header, twice in the payload of the same frame, and in the next frame.
        reader.Read(bytes.AsSpan(0, 4));
        reader.Read(bytes.AsSpan(4, 8));
        Assert.Empty(handler.Frames);
        reader.Read(bytes.AsSpan(12, 1));
        Assert.Empty(handler.Frames);
        reader.Read(bytes.AsSpan(13, 7));
        Assert.Equal(["Ping 0 0102030405060708"], handler.Frames);
        reader.Read(bytes.AsSpan(20));
        Assert.Equal(["Ping 0 0102030405060708", "Ping 1 0807060504030201"], handler.Frames);
    }

    [Fact]
    public void A_field_is_written_with_the_index_of_its_name_if_its_value_has_no_index() =>
        Assert.Equal("0f 28 03 61 3d 62", Hex(FieldBlock.Encode([("set-cookie", "a=b")])));

    [Fact]
    public void The_static_table_finds_the_index_of_a_name_and_value()
    {
        Assert.Equal((2, 3, 2), (StaticTable.Find(":method", "GET"), StaticTable.Find(":method", "POST"), StaticTable.Find(":method")));
        Assert.Equal((0, 0), (StaticTable.Find(":method", "PUT"), StaticTable.Find("no-such-name")));
    }

    private static string Hex(byte[] bytes) => string.Join(' ', bytes.Select(one => one.ToString("x2")));

    private static (FrameHeader Header, byte[] After) Frame(byte[] bytes)
    {
        var header = FrameHeader.Read(bytes);
        return (header, bytes[(FrameHeader.Size + header.Length)..]);
    }

    private sealed class Heard : IFrameHandler
    {
        public List<string> Frames { get; } = [];

        public bool IsClosed => false;

        public void OnFrame(FrameHeader header, ReadOnlySpan<byte> payload) =>
            Frames.Add($"{header.Type} {(int)header.Flags} {Convert.ToHexString(payload)}");

        public void OnDataBegin(FrameHeader header) => Frames.Add($"data of {header.Length}");

        public void OnDataBytes(ReadOnlySpan<byte> bytes)
        {
        }

        public void OnDataEnd()
        {
        }
    }
}
