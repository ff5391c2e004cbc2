using System.Runtime.CompilerServices;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Json;

/// <summary>
/// Recognizes well-known messages by name and fields. The name alone is not enough, because any file may define a
/// google.protobuf.Timestamp.
/// </summary>
internal static class WellKnownTypes
{
    private static readonly Dictionary<string, MessageDescriptor> Messages = DescriptorFiles.WellKnown.Values
        .SelectMany(file => file.MessageTypes).ToDictionary(message => message.FullName, StringComparer.Ordinal);

    private static readonly ConditionalWeakTable<MessageDescriptor, object> Kinds = [];

    public static WellKnown Find(MessageDescriptor type) => (WellKnown)Kinds.GetValue(type, static unseen => Tell(unseen));

    /// <summary>
    /// True when an Any holds the JSON form of the message as its member "value". An Any holds the fields of other messages directly.
    /// </summary>
    public static bool HasOwnForm(MessageDescriptor type) => Find(type) != WellKnown.None || type.FullName == "google.protobuf.Empty";

    private static WellKnown Tell(MessageDescriptor type)
    {
        var kind = type.FullName switch
        {
            "google.protobuf.Timestamp" => WellKnown.Timestamp,
            "google.protobuf.Duration" => WellKnown.Duration,
            "google.protobuf.FieldMask" => WellKnown.FieldMask,
            "google.protobuf.Struct" => WellKnown.Struct,
            "google.protobuf.Value" => WellKnown.Value,
            "google.protobuf.ListValue" => WellKnown.ListValue,
            "google.protobuf.Any" => WellKnown.Any,
            "google.protobuf.DoubleValue" or "google.protobuf.FloatValue" or "google.protobuf.Int64Value" or "google.protobuf.UInt64Value"
                or "google.protobuf.Int32Value" or "google.protobuf.UInt32Value" or "google.protobuf.BoolValue"
                or "google.protobuf.StringValue" or "google.protobuf.BytesValue" => WellKnown.Wrapper,
            _ => WellKnown.None,
        };
        return kind == WellKnown.None || Shape(type).SequenceEqual(Shape(Messages[type.FullName])) ? kind : WellKnown.None;
    }

    private static IEnumerable<(int, FieldType, bool, string?)> Shape(MessageDescriptor type) =>
        from field in type.Fields.InFieldNumberOrder()
        let inner = field.FieldType is FieldType.Message or FieldType.Group ? field.MessageType.FullName : null
        select (field.FieldNumber, field.FieldType, field.IsRepeated, inner);
}
