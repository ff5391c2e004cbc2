using System.Buffers;
using System.Buffers.Text;

namespace IpcBench.Server.JsonRpc;

/// <summary>The state of the first received message.</summary>
internal enum JsonRpcFrameKind
{
    /// <summary>The beginning of a message whose other bytes have not arrived.</summary>
    Incomplete,

    Message,

    /// <summary>A message that is too long, or an invalid header.</summary>
    Broken,
}

/// <summary>
/// A message cut from the received bytes. Messages end with a newline (the stdio transport of the Model Context Protocol), or begin
/// with the header Content-Length (the Language Server Protocol's base protocol).
/// </summary>
internal readonly record struct JsonRpcFrame(JsonRpcFrameKind Kind, ReadOnlySequence<byte> Message)
{
    private const int MostHeader = 256;

    /// <summary>Removes the first message from the front of <paramref name="bytes"/>, if it is complete.</summary>
    /// <param name="most">The largest number of bytes of a message.</param>
    public static JsonRpcFrame Take(ref ReadOnlySequence<byte> bytes, bool hasHeaders, int most) =>
        hasHeaders ? AfterHeader(ref bytes, most) : Line(ref bytes, most);

    private static JsonRpcFrame Line(ref ReadOnlySequence<byte> bytes, int most)
    {
        var reader = new SequenceReader<byte>(bytes);
        if (!reader.TryReadTo(out ReadOnlySequence<byte> line, (byte)'\n'))
            return new(bytes.Length > most ? JsonRpcFrameKind.Broken : JsonRpcFrameKind.Incomplete, default);
        bytes = bytes.Slice(reader.Position);
        return new(line.Length > most ? JsonRpcFrameKind.Broken : JsonRpcFrameKind.Message, line);
    }

    private static JsonRpcFrame AfterHeader(ref ReadOnlySequence<byte> bytes, int most)
    {
        var reader = new SequenceReader<byte>(bytes);
        if (!reader.TryReadTo(out ReadOnlySequence<byte> header, "\r\n\r\n"u8))
            return new(bytes.Length > MostHeader ? JsonRpcFrameKind.Broken : JsonRpcFrameKind.Incomplete, default);
        if (header.Length > MostHeader || LengthIn(header.ToArray()) is not { } length || length > most)
            return new(JsonRpcFrameKind.Broken, default);
        if (reader.Remaining < length)
            return new(JsonRpcFrameKind.Incomplete, default);
        var message = reader.UnreadSequence.Slice(0, length);
        bytes = bytes.Slice(message.End);
        return new(JsonRpcFrameKind.Message, message);
    }

    private static int? LengthIn(ReadOnlySpan<byte> header)
    {
        var name = "Content-Length:"u8;
        var at = header.IndexOf(name);
        if (at < 0)
            return null;
        var value = header[(at + name.Length)..].TrimStart((byte)' ');
        return Utf8Parser.TryParse(value, out int length, out var read) && length >= 0 && (read == value.Length || value[read] == '\r')
            ? length : null;
    }
}
