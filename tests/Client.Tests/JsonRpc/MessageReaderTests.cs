using System.Globalization;
using System.Text;
using IpcBench.Client.Protocols.JsonRpc;

namespace IpcBench.Client.Tests.JsonRpc;

public class MessageReaderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Messages_are_the_same_wherever_their_bytes_are_cut(bool hasHeaders)
    {
        var random = new Random(7);
        var sent = Enumerable.Range(0, 300).Select(number => new string((char)('a' + number % 26), random.Next(1, 200))).ToList();
        var bytes = Encoding.UTF8.GetBytes(string.Concat(sent.Select(text => hasHeaders
            ? string.Create(CultureInfo.InvariantCulture, $"Content-Length: {text.Length}\r\n\r\n{text}")
            : text + (random.Next(2) == 0 ? "\n" : "\r\n\n"))));
        foreach (var most in (int[])[1, 2, 100, 1_000, bytes.Length])
        {
            var reader = new MessageReader(hasHeaders, 1_000);
            var got = new List<string>();
            for (var begin = 0; begin < bytes.Length;)
            {
                var part = bytes.AsSpan(begin, Math.Min(bytes.Length - begin, random.Next(1, most + 1)));
                begin += part.Length;
                for (var at = 0; reader.TryRead(part, ref at, out var message);)
                    got.Add(Encoding.UTF8.GetString(message));
                Assert.False(reader.IsBroken);
            }
            Assert.Equal(sent, got);
        }
    }

    [Theory]
    [InlineData("content-length:1\r\n\r\nx")]
    [InlineData("X-Content-Length: 9\r\nContent-Type: json\r\nContent-Length: 1\r\n\r\nx")]
    public void The_length_is_found_in_any_case_and_among_other_fields(string text)
    {
        var at = 0;
        Assert.True(new MessageReader(hasHeaders: true, most: 100).TryRead(Encoding.ASCII.GetBytes(text), ref at, out var message));
        Assert.Equal("x"u8, message);
    }

    [Theory]
    [InlineData(false, 101, "")]
    [InlineData(true, 0, "Content-Length: 101\r\n\r\n")]
    [InlineData(true, 0, "Content-Length: -1\r\n\r\n")]
    [InlineData(true, 0, "Length: 5\r\n\r\n12345")]
    [InlineData(true, 2_000, "")]
    public void A_message_that_is_too_long_or_has_no_valid_header_breaks_the_connection(bool hasHeaders, int length, string begin)
    {
        var reader = new MessageReader(hasHeaders, most: 100);
        var at = 0;
        Assert.False(reader.TryRead(Encoding.ASCII.GetBytes(begin + new string('x', length)), ref at, out _));
        Assert.True(reader.IsBroken);
        reader.Reset();
        at = 0;
        Assert.True(reader.TryRead(hasHeaders ? "Content-Length: 1\r\n\r\nx"u8 : "x\n"u8, ref at, out var message));
        Assert.Equal("x"u8, message);
    }
}
