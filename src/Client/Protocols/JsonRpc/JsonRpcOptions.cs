using System.Buffers;
using System.Globalization;
using System.Text;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.JsonRpc;

/// <summary>What the connections of a cell send, and the replies that they expect.</summary>
internal sealed record JsonRpcOptions
{
    /// <summary>The id of <c>initialize</c>. The calls have higher ids.</summary>
    public const long FirstId = 0;

    // The version of the specification: https://modelcontextprotocol.io/specification/2025-06-18
    private const string Initialize = """{"jsonrpc":"2.0","id":0,"method":"initialize","params":"""
        + """{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"GrpcBench","version":"1"}}}""";

    private const string Initialized = """{"jsonrpc":"2.0","method":"notifications/initialized"}""";

    private readonly byte[] beforeId = "{\"jsonrpc\":\"2.0\",\"id\":"u8.ToArray();
    private readonly byte[] afterId;

    public JsonRpcOptions(ToolCall call)
    {
        Notes = new(call.Secrets);
        afterId = Encoding.UTF8.GetBytes($",\"method\":\"tools/call\",\"params\":{call.Parameters}}}");
    }

    /// <summary>
    /// True to begin each message with the header Content-Length, as language servers do. False to end each message with a newline, as
    /// the Model Context Protocol does over standard input and output.
    /// </summary>
    public bool HasHeaders { get; init; }

    /// <summary>The number of bytes of text in each result. Null when results may have any text.</summary>
    public long? Size { get; init; }

    /// <summary>The most bytes of a call, with its header.</summary>
    public int CallBytes => beforeId.Length + afterId.Length + 100;

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>The server's messages about failed calls.</summary>
    public FailureNotes Notes { get; }

    public void WriteInitialize(IBufferWriter<byte> output) => Write(output, Encoding.ASCII.GetBytes(Initialize));

    public void WriteInitialized(IBufferWriter<byte> output) => Write(output, Encoding.ASCII.GetBytes(Initialized));

    public void WriteCall(IBufferWriter<byte> output, long id)
    {
        Span<byte> number = stackalloc byte[20];
        id.TryFormat(number, out var digits, provider: CultureInfo.InvariantCulture);
        WriteHeader(output, beforeId.Length + digits + afterId.Length);
        output.Write(beforeId);
        output.Write(number[..digits]);
        output.Write(afterId);
        WriteEnd(output);
    }

    /// <summary>Writes a message, with its header or its newline.</summary>
    public void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> json)
    {
        WriteHeader(output, json.Length);
        output.Write(json);
        WriteEnd(output);
    }

    private void WriteHeader(IBufferWriter<byte> output, int length)
    {
        if (!HasHeaders)
            return;
        output.Write("Content-Length: "u8);
        Span<byte> number = stackalloc byte[10];
        length.TryFormat(number, out var digits, provider: CultureInfo.InvariantCulture);
        output.Write(number[..digits]);
        output.Write("\r\n\r\n"u8);
    }

    private void WriteEnd(IBufferWriter<byte> output)
    {
        if (!HasHeaders)
            output.Write("\n"u8);
    }
}
