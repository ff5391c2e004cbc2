using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Values;

/// <summary>Writes a <see cref="MessageValue"/> as the bytes that Google.Protobuf's generated code writes for the same message.</summary>
internal static class WireWriter
{
    public static byte[] Write(MessageValue message) => Bytes(output => Fields(output, message));

    private static byte[] Bytes(Action<CodedOutputStream> write)
    {
        using var buffer = new MemoryStream();
        // Each nested message has its own buffer. So the default of 4 KiB would be too large.
        using (var output = new CodedOutputStream(buffer, bufferSize: 256, leaveOpen: true))
            write(output);
        return buffer.ToArray();
    }

    private static void Fields(CodedOutputStream output, MessageValue message)
    {
        foreach (var (field, value) in message.Fields)
        {
            switch (value)
            {
                case null:
                    break;
                case OrderedDictionary<object, object> map:
                    Map(output, field, map);
                    break;
                case List<object> list:
                    List(output, field, list);
                    break;
                default:
                    if (FieldRules.HasPresence(field) || !FieldRules.IsDefault(value))
                        Tagged(output, field, value);
                    break;
            }
        }
    }

    // Google.Protobuf for C# omits a default key or value from a map's entry. Readers restore the default.
    private static void Map(CodedOutputStream output, FieldDescriptor field, OrderedDictionary<object, object> map)
    {
        foreach (var (key, value) in map)
        {
            output.WriteTag(field.FieldNumber, WireFormat.WireType.LengthDelimited);
            Delimited(output, entry =>
            {
                if (!FieldRules.IsDefault(key))
                    Tagged(entry, FieldRules.Key(field), key);
                if (!FieldRules.IsDefault(value))
                    Tagged(entry, FieldRules.Value(field), value);
            });
        }
    }

    private static void List(CodedOutputStream output, FieldDescriptor field, List<object> list)
    {
        if (!field.IsPacked || !FieldRules.IsPackable(field))
        {
            foreach (var item in list)
                Tagged(output, field, item);
        }
        else if (list.Count > 0)
        {
            output.WriteTag(field.FieldNumber, WireFormat.WireType.LengthDelimited);
            Delimited(output, packed => list.ForEach(item => Scalar(packed, field.FieldType, item)));
        }
    }

    private static void Tagged(CodedOutputStream output, FieldDescriptor field, object value)
    {
        output.WriteTag(field.FieldNumber, FieldRules.WireType(field.FieldType));
        if (value is not MessageValue message)
        {
            Scalar(output, field.FieldType, value);
        }
        else if (field.FieldType == FieldType.Group)
        {
            Fields(output, message);
            output.WriteTag(field.FieldNumber, WireFormat.WireType.EndGroup);
        }
        else
        {
            Delimited(output, inner => Fields(inner, message));
        }
    }

    private static void Delimited(CodedOutputStream output, Action<CodedOutputStream> write) =>
        output.WriteBytes(UnsafeByteOperations.UnsafeWrap(Bytes(write)));

    private static void Scalar(CodedOutputStream output, FieldType type, object value)
    {
        switch (type)
        {
            case FieldType.Double: output.WriteDouble((double)value); break;
            case FieldType.Float: output.WriteFloat((float)value); break;
            case FieldType.Int64: output.WriteInt64((long)value); break;
            case FieldType.UInt64: output.WriteUInt64((ulong)value); break;
            case FieldType.Int32: output.WriteInt32((int)value); break;
            case FieldType.Fixed64: output.WriteFixed64((ulong)value); break;
            case FieldType.Fixed32: output.WriteFixed32((uint)value); break;
            case FieldType.Bool: output.WriteBool((bool)value); break;
            case FieldType.String: output.WriteString((string)value); break;
            case FieldType.Bytes: output.WriteBytes((ByteString)value); break;
            case FieldType.UInt32: output.WriteUInt32((uint)value); break;
            case FieldType.SFixed32: output.WriteSFixed32((int)value); break;
            case FieldType.SFixed64: output.WriteSFixed64((long)value); break;
            case FieldType.SInt32: output.WriteSInt32((int)value); break;
            case FieldType.SInt64: output.WriteSInt64((long)value); break;
            case FieldType.Enum: output.WriteEnum((int)value); break;
            default: throw new InvalidOperationException($"{type} is no scalar");
        }
    }
}
