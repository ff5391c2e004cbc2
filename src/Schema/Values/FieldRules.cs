using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Values;

/// <summary>Rules of fields that descriptors do not state directly.</summary>
internal static class FieldRules
{
    /// <summary>The deepest nesting of messages, as in Google.Protobuf (CodedInputStream's default).</summary>
    public const int DeepestMessage = 100;

    /// <summary>True when a field that is set to its default differs from a field that is not set.</summary>
    public static bool HasPresence(FieldDescriptor field) =>
        !field.IsRepeated && (field.IsExtension || field.IsRequired || field.HasPresence);

    public static FieldDescriptor Key(FieldDescriptor map) => map.MessageType.FindFieldByNumber(1);

    public static FieldDescriptor Value(FieldDescriptor map) => map.MessageType.FindFieldByNumber(2);

    public static bool IsPackable(FieldDescriptor field) =>
        field.IsRepeated && field.FieldType is not (FieldType.String or FieldType.Bytes or FieldType.Message or FieldType.Group);

    public static WireFormat.WireType WireType(FieldType type) => type switch
    {
        FieldType.Double or FieldType.Fixed64 or FieldType.SFixed64 => WireFormat.WireType.Fixed64,
        FieldType.Float or FieldType.Fixed32 or FieldType.SFixed32 => WireFormat.WireType.Fixed32,
        FieldType.String or FieldType.Bytes or FieldType.Message => WireFormat.WireType.LengthDelimited,
        FieldType.Group => WireFormat.WireType.StartGroup,
        _ => WireFormat.WireType.Varint,
    };

    /// <summary>
    /// Whether the value is a default, which a field without presence omits from the bytes. -0.0 is not a default.
    /// </summary>
    public static bool IsDefault(object value) => value switch
    {
        int number => number == 0,
        uint number => number == 0,
        long number => number == 0,
        ulong number => number == 0,
        float number => BitConverter.SingleToInt32Bits(number) == 0,
        double number => BitConverter.DoubleToInt64Bits(number) == 0,
        bool truth => !truth,
        string text => text.Length == 0,
        ByteString bytes => bytes.IsEmpty,
        _ => false,
    };

    /// <summary>Returns the value of a scalar that is not set. Null for messages.</summary>
    public static object? Default(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Double => 0d,
        FieldType.Float => 0f,
        FieldType.Int64 or FieldType.SInt64 or FieldType.SFixed64 => 0L,
        FieldType.UInt64 or FieldType.Fixed64 => 0UL,
        FieldType.Int32 or FieldType.SInt32 or FieldType.SFixed32 => 0,
        FieldType.UInt32 or FieldType.Fixed32 => 0u,
        FieldType.Bool => false,
        FieldType.String => "",
        FieldType.Bytes => ByteString.Empty,
        FieldType.Enum => field.EnumType.Values is [var first, ..] ? first.Number : 0,
        _ => null,
    };
}
