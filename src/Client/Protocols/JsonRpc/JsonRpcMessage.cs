using System.Text.Json;

namespace IpcBench.Client.Protocols.JsonRpc;

/// <summary>What the client needs to know of a message of the server.</summary>
internal struct JsonRpcMessage
{
    /// <summary>The most levels of a message. Reading does not recurse, so a deep message costs no stack.</summary>
    public const int Deepest = 10_000;

    /// <summary>The id as a whole number. Null when there is none, or when the id is no whole number.</summary>
    public long? Id { get; private set; }

    /// <summary>The place of the id in the message. Null when there is none.</summary>
    public Range? IdText { get; private set; }

    /// <summary>The method of a request or a notification. Null for an answer.</summary>
    public string? Method { get; private set; }

    /// <summary>The code of the error. 0 when the error has no valid code. Null when the message has no error.</summary>
    public int? ErrorCode { get; private set; }

    /// <summary>The text of the error, or of a failed tool's result.</summary>
    public string ErrorText { get; private set; } = "";

    public bool HasResult { get; private set; }

    /// <summary>Whether the result says that the tool has failed.</summary>
    public bool IsToolError { get; private set; }

    /// <summary>Bytes of all texts in the result, counted as sent, with JSON escapes.</summary>
    public long TextBytes { get; private set; }

    public JsonRpcMessage()
    {
    }

    /// <summary>Reads a message. Returns false when the message is not a JSON object.</summary>
    public static bool TryParse(ReadOnlySpan<byte> json, out JsonRpcMessage message)
    {
        message = new();
        try
        {
            var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = Deepest });
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return false;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                message.Member(ref reader);
            return reader.TokenType == JsonTokenType.EndObject && !reader.Read();
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return false; // InvalidOperationException: a text with invalid UTF-8 or an unpaired surrogate
        }
    }

    private void Member(ref Utf8JsonReader reader)
    {
        if (reader.ValueTextEquals("id"u8))
        {
            reader.Read();
            var begin = (int)reader.TokenStartIndex;
            Id = reader.TokenType == JsonTokenType.Number && reader.TryGetInt64(out var id) ? id : null;
            reader.Skip();
            IdText = begin..(int)reader.BytesConsumed;
        }
        else if (reader.ValueTextEquals("method"u8))
        {
            reader.Read();
            Method = reader.TokenType == JsonTokenType.String ? reader.GetString() : "";
            reader.Skip();
        }
        else if (reader.ValueTextEquals("result"u8))
        {
            reader.Read();
            HasResult = true;
            Result(ref reader);
        }
        else if (reader.ValueTextEquals("error"u8))
        {
            reader.Read();
            Error(ref reader);
        }
        else
        {
            reader.Skip();
        }
    }

    private void Error(ref Utf8JsonReader reader)
    {
        ErrorCode = 0;
        if (reader.TokenType != JsonTokenType.StartObject)
        {
            reader.Skip();
            return;
        }
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var (isCode, isText) = (reader.ValueTextEquals("code"u8), reader.ValueTextEquals("message"u8));
            reader.Read();
            if (isCode && reader.TokenType == JsonTokenType.Number && reader.TryGetInt32(out var code))
                ErrorCode = code;
            else if (isText && reader.TokenType == JsonTokenType.String)
                ErrorText = reader.GetString()!;
            reader.Skip();
        }
    }

    // A result of tools/call: {"content":[{"type":"text","text":"…"}],"isError":false}. Results of other methods have other members.
    private void Result(ref Utf8JsonReader reader)
    {
        if (reader.TokenType != JsonTokenType.StartObject)
        {
            reader.Skip();
            return;
        }
        var text = default(Utf8JsonReader);
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var (isContent, isError) = (reader.ValueTextEquals("content"u8), reader.ValueTextEquals("isError"u8));
            reader.Read();
            if (isError)
                IsToolError = reader.TokenType == JsonTokenType.True;
            if (isContent && reader.TokenType == JsonTokenType.StartArray)
                Content(ref reader, ref text);
            else
                reader.Skip();
        }
        if (IsToolError && text.TokenType == JsonTokenType.String)
            ErrorText = text.GetString()!;
    }

    private void Content(ref Utf8JsonReader reader, ref Utf8JsonReader text)
    {
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            if (reader.TokenType != JsonTokenType.StartObject)
            {
                reader.Skip();
                continue;
            }
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var isText = reader.ValueTextEquals("text"u8);
                reader.Read();
                if (isText && reader.TokenType == JsonTokenType.String)
                {
                    TextBytes += reader.ValueSpan.Length;
                    text = reader;
                }
                reader.Skip();
            }
        }
    }
}
