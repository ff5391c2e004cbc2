namespace IpcBench.Http2;

/// <summary>A decoded field, reduced to what a gRPC client needs.</summary>
/// <param name="Value">
/// For a status, its number, or -1 if the status is invalid. 1 for a gRPC content type. 0 for any other field.
/// </param>
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
            7 when name.SequenceEqual("upgrade"u8) => HeaderName.Forbidden,
            16 when name.SequenceEqual("proxy-connection"u8) => HeaderName.Forbidden,
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

    // The bytes that RFC 9113, 8.2.1, forbids.
    private static bool HasForbiddenByte(ReadOnlySpan<byte> name) =>
        name.IndexOfAnyInRange((byte)'A', (byte)'Z') >= 0 || name.IndexOfAnyInRange((byte)0, (byte)' ') >= 0
        || name.IndexOfAnyInRange((byte)0x7F, (byte)0xFF) >= 0;

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
