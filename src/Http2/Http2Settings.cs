using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>The payload of a SETTINGS frame (RFC 9113, 6.5.1): identifiers of two bytes, each with a value of four bytes.</summary>
public static class Http2Settings
{
    /// <summary>The size of one setting in bytes.</summary>
    public const int Size = 6;

    /// <summary>The initial window in bytes (RFC 9113, 6.9.2).</summary>
    public const int DefaultWindow = 65535;

    /// <summary>Takes the next setting from the payload. Returns false when no whole setting is left.</summary>
    public static bool TryRead(ref ReadOnlySpan<byte> payload, out SettingId id, out uint value)
    {
        (id, value) = (default, 0);
        if (payload.Length < Size)
            return false;
        id = (SettingId)BinaryPrimitives.ReadUInt16BigEndian(payload);
        value = BinaryPrimitives.ReadUInt32BigEndian(payload[2..]);
        payload = payload[Size..];
        return true;
    }
}
