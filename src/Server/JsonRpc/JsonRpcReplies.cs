using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using IpcBench.Server.Echo;

namespace IpcBench.Server.JsonRpc;

/// <summary>Writes the answers of one connection.</summary>
/// <param name="hasHeaders">True to begin each message with Content-Length. False to end each message with a newline.</param>
internal sealed class JsonRpcReplies(PipeWriter output, bool hasHeaders, StalledReader watch)
{
    // Long text is written in parts of this size, so a client that does not read takes little server memory.
    private const int Part = 64 << 10;

    private static readonly byte[] Text = Letters();

    private readonly ArrayBufferWriter<byte> head = new();

    /// <summary>
    /// True when the waiting bytes must be sent before the next answer. Otherwise a client that does not read could fill the server's
    /// memory.
    /// </summary>
    public bool IsFull => output.UnflushedBytes >= Part;

    /// <param name="result">JSON text.</param>
    public void Result(JsonElement id, ReadOnlySpan<byte> result)
    {
        using var json = Begin(id);
        json.WritePropertyName("result");
        json.WriteRawValue(result, skipInputValidation: true);
        End(json);
    }

    /// <param name="id">The id of the request. Undefined when the request has none that can be read.</param>
    /// <param name="code">A code of JSON-RPC 2.0 (https://www.jsonrpc.org/specification#error_object).</param>
    public void Error(JsonElement id, int code, string message)
    {
        using var json = Begin(id);
        json.WriteStartObject("error");
        json.WriteNumber("code", code);
        json.WriteString("message", message);
        json.WriteEndObject();
        End(json);
    }

    /// <summary>Answers with the result of a tool: text of the given size.</summary>
    /// <returns>False when the connection can send nothing more.</returns>
    public async ValueTask<bool> TextAsync(JsonElement id, int size)
    {
        var end = "\"}]}}"u8.Length;
        head.ResetWrittenCount();
        head.Write("{\"jsonrpc\":\"2.0\",\"id\":"u8);
        Encoding.UTF8.GetBytes(id.GetRawText(), head);
        head.Write(",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\""u8);
        WriteHeader(head.WrittenCount + size + end);
        output.Write(head.WrittenSpan);
        for (var left = size; left > 0; left -= Part)
        {
            output.Write(Text.AsSpan(0, Math.Min(left, Part)));
            if (left > Part && !await FlushAsync())
                return false;
        }
        output.Write("\"}]}}"u8);
        WriteEnd();
        return true;
    }

    /// <summary>Sends what was written. Returns false when the connection can send nothing more.</summary>
    public ValueTask<bool> FlushAsync() => watch.FlushAsync(output);

    private Utf8JsonWriter Begin(JsonElement id)
    {
        head.ResetWrittenCount();
        var json = new Utf8JsonWriter(head);
        json.WriteStartObject();
        json.WriteString("jsonrpc", "2.0");
        json.WritePropertyName("id");
        if (id.ValueKind == JsonValueKind.Undefined)
            json.WriteNullValue();
        else
            id.WriteTo(json);
        return json;
    }

    private void End(Utf8JsonWriter json)
    {
        json.WriteEndObject();
        json.Flush();
        WriteHeader(head.WrittenCount);
        output.Write(head.WrittenSpan);
        WriteEnd();
    }

    private void WriteHeader(int length)
    {
        if (hasHeaders)
            Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"Content-Length: {length}\r\n\r\n"), output);
    }

    private void WriteEnd()
    {
        if (!hasHeaders)
            output.Write("\n"u8);
    }

    private static byte[] Letters()
    {
        var letters = new byte[Part];
        for (var at = 0; at < letters.Length; at++)
            letters[at] = (byte)('a' + at % 26);
        return letters;
    }
}
