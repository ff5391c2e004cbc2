namespace IpcBench.Http2;

/// <summary>The response fields that a gRPC client reads. All other fields are <see cref="Other"/>.</summary>
public enum HeaderName : byte
{
    Other,
    Status,
    ContentType,
    GrpcStatus,
    GrpcMessage,

    /// <summary>Fields that make a response malformed (RFC 9113, 8.2 and 8.3).</summary>
    Forbidden,
}

/// <summary>A decoded field, reduced to what a gRPC client needs.</summary>
/// <param name="Value">For a status its number, for a gRPC content type 1, for an invalid value -1, otherwise 0.</param>
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

    public static HeaderField Create(HeaderName name, ReadOnlySpan<byte> value) => new(name, name switch
    {
        HeaderName.Status => value.Length == 3 ? Number(value) : -1,
        HeaderName.GrpcStatus => value.Length is 1 or 2 ? Number(value) : -1,
        HeaderName.ContentType => IsGrpc(value) ? 1 : 0,
        _ => 0,
    });

    // See RFC 9113, 8.2.1.
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

/// <summary>The content of one block of response fields.</summary>
public struct HeaderBlock()
{
    /// <summary>The HTTP status. 0 in trailers, which have none.</summary>
    public int Status;

    /// <summary>
    /// The number of the grpc-status. -1 without a grpc-status, and <see cref="BadGrpcStatus"/> when its text is not a number.
    /// </summary>
    public int GrpcStatus = -1;

    public bool IsGrpc;

    /// <summary>Whether the block is malformed by RFC 9113, 8.1.1.</summary>
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

/// <summary>Joins the parts of a field block that comes in several frames, up to a limit of bytes and frames.</summary>
public sealed class HeaderBlocks
{
    /// <summary>The default of SETTINGS_HEADER_TABLE_SIZE. This client announces no other value.</summary>
    public const int TableSize = 4096;

    private const int LargestBlock = 64 * 1024;
    private const int MostFrames = 128;

    private byte[] bytes = [];
    private int length;
    private int frames;

    /// <summary>Whether a block has begun and is not complete.</summary>
    public bool IsOpen { get; private set; }

    public int StreamId { get; private set; }

    public bool EndsStream { get; private set; }

    /// <summary>Takes a HEADERS or CONTINUATION frame. Returns true when this frame completes the block.</summary>
    /// <param name="block">The whole block, which is valid until the next frame.</param>
    /// <exception cref="Http2Exception">
    /// The block exceeds the limit of bytes or frames (empty frames count too), or its padding or priority is invalid.
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
            throw new Http2Exception(Http2Error.EnhanceYourCalm, "a field block above 64 KiB or 128 frames");
        if (length + next.Length > bytes.Length)
            Array.Resize(ref bytes, Math.Max(length + next.Length, 2 * bytes.Length));
        next.CopyTo(bytes.AsSpan(length));
        length += next.Length;
    }
}
