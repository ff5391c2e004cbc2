using System.Text;
using IpcBench.Client.Protocols.Http1;

namespace IpcBench.Client.Tests.Http1;

public class ReplyParserTests
{
    private const string Ok = "HTTP/1.1 200 OK\r\n";

    [Theory]
    [InlineData(Ok + "Content-Length: 5\r\n\r\nhello", 5, false)]
    [InlineData(Ok + "content-LENGTH:5  \r\n\r\nhello", 5, false)]
    [InlineData(Ok + "Content-Length: 0\r\n\r\n", 0, false)]
    [InlineData("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 1, false)]
    [InlineData("HTTP/1.1 200 OK\nContent-Length: 1\n\nx", 1, false)]
    [InlineData(Ok + "Content-Length: 2\r\nConnection: Keep-Alive, Close\r\n\r\nxx", 2, true)]
    [InlineData("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nxx", 2, true)]
    [InlineData("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nxx", 2, false)]
    [InlineData("HTTP/1.1 204 No Content\r\n\r\n", 0, false)]
    [InlineData("HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n", 0, false)]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 5, false)]
    [InlineData(
        Ok + "Transfer-Encoding: gzip, Chunked\r\n\r\n1;a=\"b\"\r\nx\r\n00a \r\n0123456789\r\n0\r\nA: b\r\nC: d\r\n\r\n", 11, false)]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Ok + "Content-Length: 3\r\n\r\nxyz", 3, false)]
    public void A_reply_received_in_two_pieces_ends_where_the_head_of_the_reply_says(string text, long body, bool ends)
    {
        var bytes = Encoding.ASCII.GetBytes(text);
        for (var cut = 0; cut <= bytes.Length; cut++)
        {
            var parser = new ReplyParser(isBodyless: false);
            for (var again = 0; again < 3; again++) // the second and third reply have a known head
            {
                Assert.Equal(ReplyProgress.Done, Read(parser, bytes[..cut], bytes[cut..]));
                Assert.Equal((body, ends), (parser.BodyLength, parser.EndsConnection));
            }
        }
    }

    [Theory]
    [InlineData("SSH-2.0-OpenSSH_9.2\r\n\r\n")]
    [InlineData("HTTP/2.0 200 OK\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData("HTTP/1.1 20 OK\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData("HTTP/1.1 2000\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData("HTTP/1.1 999 Odd\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData("\r\n" + Ok + "Content-Length: 1\r\n\r\nx")]
    [InlineData("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")]
    [InlineData(Ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: 1, 1\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: -1\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: +1\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: 0x1\r\n\r\nx")]
    [InlineData(Ok + "Content-Length:\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: 9999999999999999999\r\n\r\nx")]
    [InlineData(Ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
    [InlineData("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
    [InlineData(Ok + "Content-Length : 1\r\n\r\nx")]
    [InlineData(Ok + "A: b\r\n c\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData(Ok + "no colon\r\n\r\n")]
    [InlineData(Ok + "A: b\rc\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData(Ok + "A: b\0c\r\nContent-Length: 1\r\n\r\nx")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n0\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n0\r\ngarbage\r\n\r\n")]
    public void Invalid_and_ambiguous_replies_are_rejected_wherever_the_bytes_are_split(string text)
    {
        var bytes = Encoding.ASCII.GetBytes(text);
        for (var cut = 0; cut <= bytes.Length; cut++)
            Assert.Equal(ReplyProgress.Broken, Read(new ReplyParser(isBodyless: false), bytes[..cut], bytes[cut..]));
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nX: ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    [InlineData("HTTP/1.1 200 OK\r\n", "A: b\r\nLong-Header-Name: with a value\r\n")]
    [InlineData("", "HTTP/1.1 100 Continue\r\n\r\n")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n1;", "extension;extension;extension;extension")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "Trailer: and another one\r\n")]
    public void Endless_replies_are_rejected(string begin, string endless)
    {
        var parser = new ReplyParser(isBodyless: false);
        var progress = Read(parser, Encoding.ASCII.GetBytes(begin));
        for (var i = 0; i < 5000 && progress == ReplyProgress.More; i++)
            progress = Read(parser, Encoding.ASCII.GetBytes(endless));
        Assert.Equal(ReplyProgress.Broken, progress);
    }

    [Fact]
    public void A_body_without_a_length_ends_with_the_connection()
    {
        var parser = new ReplyParser(isBodyless: false);
        Assert.Equal(ReplyProgress.More, Read(parser, Encoding.ASCII.GetBytes(Ok + "\r\nsome"), Encoding.ASCII.GetBytes("thing")));
        Assert.True(parser.EndsWithConnection);
        Assert.Equal(9, parser.BodyLength);
    }

    [Fact]
    public void The_reply_to_HEAD_has_a_length_and_no_body()
    {
        var parser = new ReplyParser(isBodyless: true);
        Assert.Equal(ReplyProgress.Done, Read(parser, Encoding.ASCII.GetBytes(Ok + "Content-Length: 500\r\n\r\n")));
        Assert.Equal((0L, false), (parser.BodyLength, parser.EndsConnection));
    }

    [Fact]
    public void Bytes_after_a_reply_are_read_as_the_next_reply_even_if_both_heads_are_equal()
    {
        var parser = new ReplyParser(isBodyless: false);
        var bytes = Encoding.ASCII.GetBytes(
            Ok + "Content-Length: 1\r\n\r\nx" + Ok + "Content-Length: 1\r\n\r\ny" + Ok + "Content-Length: 2\r\n\r\nzz").AsSpan();
        ReadOnlySpan<byte> rest = bytes;
        foreach (var length in new[] { 1, 1, 2 })
        {
            Assert.Equal(ReplyProgress.Done, parser.Read(ref rest));
            Assert.Equal(length, parser.BodyLength);
        }
        Assert.True(rest.IsEmpty);
    }

    [Theory]
    [InlineData(Ok + "Content-Length: 5\r\nDate: Thu, 01 Jan 2026 00:00:0#\r\n\r\nhello")]
    [InlineData(Ok + "Transfer-Encoding: chunked\r\nDate: Thu, 01 Jan 2026 00:00:0#\r\n\r\n5\r\nhello\r\n0\r\n\r\n")]
    public void Reading_many_replies_allocates_nothing(string text)
    {
        var parser = new ReplyParser(isBodyless: false);
        var replies = Enumerable.Range(0, 10)
            .Select(second => Encoding.ASCII.GetBytes(text.Replace("#", $"{second}", StringComparison.Ordinal))).ToArray();
        var before = 0L;
        for (var i = 0; i < 2000; i++)
        {
            if (i == 1000)
                before = GC.GetAllocatedBytesForCurrentThread();
            ReadOnlySpan<byte> bytes = replies[i / 50 % 10];
            var cut = i % 7 == 0 ? bytes[..(i % bytes.Length)] : default;
            var rest = bytes[cut.Length..];
            if (!cut.IsEmpty && parser.Read(ref cut) != ReplyProgress.More || parser.Read(ref rest) != ReplyProgress.Done)
                Assert.Fail("not read");
        }
        // A collection, which another thread may cause, charges this thread with the rest of its 8 KiB of allocation space. An object of
        // 24 bytes for each reply would be 24,000 bytes.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 8192);
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public void A_mutated_reply_gives_the_same_result_whole_or_in_two_pieces(int seed)
    {
        var random = new Random(seed);
        string[] right =
        [
            Ok + "Server: x\r\nContent-Length: 5\r\n\r\nhello", Ok + "Transfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nT: x\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n" + Ok + "Connection: close\r\n\r\nuntil the end",
        ];
        for (var i = 0; i < 3000; i++)
        {
            var bytes = Encoding.ASCII.GetBytes(right[random.Next(right.Length)]);
            for (var change = random.Next(0, 4); change > 0; change--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            var cut = random.Next(bytes.Length);
            var (whole, parts) = (new ReplyParser(isBodyless: false), new ReplyParser(isBodyless: false));
            Assert.Equal(Read(whole, bytes), Read(parts, bytes[..cut], bytes[cut..]));
            Assert.Equal((whole.BodyLength, whole.Status), (parts.BodyLength, parts.Status));
        }
    }

    private static ReplyProgress Read(ReplyParser parser, params byte[][] pieces)
    {
        var progress = ReplyProgress.More;
        foreach (var piece in pieces)
        {
            if (progress != ReplyProgress.More)
                break;
            ReadOnlySpan<byte> bytes = piece;
            progress = piece.Length == 0 ? progress : parser.Read(ref bytes);
        }
        return progress;
    }
}
