namespace IpcBench.Http2;

/// <summary>The response fields a gRPC client looks at; all others are one.</summary>
public enum HeaderName : byte
{
    Other,
    Status,
    ContentType,
    GrpcStatus,
    GrpcMessage,

    /// <summary>Fields that HTTP/2 forbids in a response: they make it malformed (RFC 9113, 8.2 and 8.3).</summary>
    Forbidden,
}

/// <summary>A decoded field as far as a gRPC client cares.</summary>
/// <param name="Value">The number of a status; 1 for a gRPC content type; -1 for a value that makes no sense; else 0.</param>
public readonly record struct HeaderField(HeaderName Name, int Value)
{
    private static ReadOnlySpan<byte> GrpcContentType => "application/grpc"u8;

    public static HeaderName Classify(ReadOnlySpan<byte> name)
    {
        if (name.IsEmpty)
            return HeaderName.Forbidden;
        if (name[0] == ':')
            return name.SequenceEqual(":status"u8) ? HeaderName.Status : HeaderName.Forbidden;
        return name.Length switch
        {
            11 when name.SequenceEqual("grpc-status"u8) => HeaderName.GrpcStatus,
            12 when name.SequenceEqual("content-type"u8) => HeaderName.ContentType,
            12 when name.SequenceEqual("grpc-message"u8) => HeaderName.GrpcMessage,
            10 when name.SequenceEqual("connection"u8) || name.SequenceEqual("keep-alive"u8) => HeaderName.Forbidden,
            17 when name.SequenceEqual("transfer-encoding"u8) => HeaderName.Forbidden,
            _ => HasForbiddenByte(name) ? HeaderName.Forbidden : HeaderName.Other,
        };
    }

    public static HeaderField Of(HeaderName name, ReadOnlySpan<byte> value) => new(name, name switch
    {
        HeaderName.Status => value.Length == 3 ? Number(value) : -1,
        HeaderName.GrpcStatus => value.Length is 1 or 2 ? Number(value) : -1,
        HeaderName.ContentType => IsGrpc(value) ? 1 : 0,
        _ => 0,
    });

    // RFC 9113, 8.2.1.
    private static bool HasForbiddenByte(ReadOnlySpan<byte> name) =>
        name.IndexOfAnyInRange((byte)'A', (byte)'Z') >= 0 || name.IndexOfAnyInRange((byte)0, (byte)' ') >= 0;

    private static bool IsGrpc(ReadOnlySpan<byte> value) =>
        value.StartsWith(GrpcContentType)
        && (value.Length == GrpcContentType.Length || value[GrpcContentType.Length] is (byte)'+' or (byte)';');

    private static int Number(ReadOnlySpan<byte> digits)
    {
        var number = 0;
        foreach (var digit in digits)
        {
            if (digit is < (byte)'0' or > (byte)'9')
                return -1;
            number = number * 10 + digit - '0';
        }
        return number;
    }
}

/// <summary>What one block of response fields said.</summary>
public struct HeaderBlock()
{
    /// <summary>HTTP status, or 0 when there was none (trailers).</summary>
    public int Status;

    /// <summary>-1: there was none; <see cref="BadGrpcStatus"/>: there was one that is no number.</summary>
    public int GrpcStatus = -1;

    public bool IsGrpc;

    /// <summary>Not a response that HTTP/2 allows (RFC 9113, 8.1.1).</summary>
    public bool Malformed;

    private bool sawRegular;

    public const int BadGrpcStatus = -2;

    public void Add(HeaderField field)
    {
        switch (field.Name)
        {
            case HeaderName.Status:
                Malformed |= sawRegular || Status != 0 || field.Value < 100;
                Status = field.Value;
                return;
            case HeaderName.GrpcStatus:
                GrpcStatus = field.Value < 0 ? BadGrpcStatus : field.Value;
                break;
            case HeaderName.ContentType:
                IsGrpc = field.Value == 1;
                break;
            case HeaderName.Forbidden:
                Malformed = true;
                break;
        }
        sawRegular = true;
    }
}

/// <summary>Puts a field block together that comes in several frames, up to a limit.</summary>
public sealed class HeaderBlocks
{
    /// <summary>SETTINGS_HEADER_TABLE_SIZE that we leave at its default.</summary>
    public const int TableSize = 4096;

    private const int LargestBlock = 64 * 1024;
    private const int MostFrames = 128;

    private byte[] bytes = [];
    private int length;
    private int frames;

    /// <summary>A block was begun and not ended.</summary>
    public bool IsOpen { get; private set; }

    public int StreamId { get; private set; }

    public bool EndsStream { get; private set; }

    /// <summary>Takes a HEADERS or CONTINUATION frame; true when the block is whole with it.</summary>
    /// <param name="header">The frame's.</param>
    /// <param name="payload">The frame's.</param>
    /// <param name="block">The whole block: valid until the next frame.</param>
    /// <exception cref="Http2Exception">
    /// The block grows beyond all measure, in bytes or in frames (even empty ones), or its padding or priority is broken.
    /// </exception>
    public bool Take(FrameHeader header, ReadOnlySpan<byte> payload, out ReadOnlySpan<byte> block)
    {
        var isLast = header.Has(FrameFlags.EndHeaders);
        if (header.Type == FrameType.Headers)
        {
            payload = FrameRules.WithoutPriority(header, FrameRules.WithoutPadding(header, payload));
            (StreamId, EndsStream, length, frames) = (header.StreamId, header.Has(FrameFlags.EndStream), 0, 0);
            if (isLast)
            {
                block = payload;
                return true;
            }
        }
        Add(payload);
        IsOpen = !isLast;
        block = bytes.AsSpan(0, length);
        return isLast;
    }

    private void Add(ReadOnlySpan<byte> next)
    {
        if (length + next.Length > LargestBlock || ++frames > MostFrames)
            throw new Http2Exception(Http2Error.EnhanceYourCalm, "an endless field block");
        if (length + next.Length > bytes.Length)
            Array.Resize(ref bytes, Math.Max(length + next.Length, 2 * bytes.Length));
        next.CopyTo(bytes.AsSpan(length));
        length += next.Length;
    }
}
