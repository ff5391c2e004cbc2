using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Values;

/// <summary>Reads the bytes of a message by its descriptor. Unknown fields are skipped, as in every protobuf reader.</summary>
internal sealed class WireReader(MethodTypes types)
{
    // A hostile reply may hold many values in few bytes, and the bytes of an inner message are copied at each level.
    private const int MostValues = 1_000_000;
    private const long MostCopied = 256L << 20;

    private int values;
    private long copied;

    /// <exception cref="SchemaException">The bytes are no message of this type.</exception>
    public MessageValue Read(MessageDescriptor type, byte[] bytes)
    {
        try
        {
            return Read(new MessageValue(type), new CodedInputStream(bytes), depth: 1, endTag: 0);
        }
        catch (Exception e) when (e is InvalidProtocolBufferException or ArgumentException)
        {
            throw new SchemaException($"{bytes.Length} bytes are not a {type.FullName}: {e.Message.TrimEnd('.')}", e);
        }
    }

    private MessageValue Read(MessageValue message, CodedInputStream input, int depth, uint endTag)
    {
        if (depth > FieldRules.DeepestMessage)
            throw new SchemaException($"the message is nested deeper than {FieldRules.DeepestMessage} levels");
        uint tag;
        while ((tag = input.ReadTag()) != 0)
        {
            if (tag == endTag)
                return message;
            var wireType = WireFormat.GetTagWireType(tag);
            var field = Find(message.Type, WireFormat.GetTagFieldNumber(tag));
            if (field is null)
                input.SkipLastField();
            else if (wireType == WireFormat.WireType.LengthDelimited && FieldRules.IsPackable(field))
                Packed(message, field, Inner(input));
            else if (wireType == FieldRules.WireType(field.FieldType))
                Field(message, field, input, depth, tag);
            else
                input.SkipLastField();
        }
        return endTag == 0 ? message : throw new SchemaException($"a group of {message.Type.FullName} has no end");
    }

    private FieldDescriptor? Find(MessageDescriptor type, int number) =>
        type.FindFieldByNumber(number) ?? types.Extensions(type).FirstOrDefault(extension => extension.FieldNumber == number);

    private void Field(MessageValue message, FieldDescriptor field, CodedInputStream input, int depth, uint tag)
    {
        if (field.IsMap)
        {
            var entry = Read(new MessageValue(field.MessageType), Inner(input), depth + 1, 0);
            Entry(message, field, entry);
            return;
        }
        // If the bytes hold a message field twice, the two messages are merged, as the specification of the encoding says.
        var known = field.IsRepeated ? null : message.Get(field) as MessageValue;
        var type = field.FieldType;
        var value = type switch
        {
            FieldType.Message => Read(known ?? new MessageValue(field.MessageType), Inner(input), depth + 1, 0),
            FieldType.Group => Read(known ?? new MessageValue(field.MessageType), input, depth + 1, EndTag(tag)),
            _ => Scalar(input, type),
        };
        Keep(message, field, value);
    }

    private CodedInputStream Inner(CodedInputStream input)
    {
        var bytes = input.ReadBytes().ToByteArray();
        if ((copied += bytes.Length) > MostCopied)
            throw new SchemaException($"the message is too large to be read: its inner messages have more than {MostCopied >> 20} MiB");
        return new CodedInputStream(bytes);
    }

    private void Packed(MessageValue message, FieldDescriptor field, CodedInputStream input)
    {
        while (!input.IsAtEnd)
            Keep(message, field, Scalar(input, field.FieldType));
    }

    private void Keep(MessageValue message, FieldDescriptor field, object value)
    {
        Count();
        if (field.IsRepeated)
        {
            if (message.Get(field) is not List<object> list)
                message.Set(field, list = []);
            list.Add(value);
            return;
        }
        // If the bytes hold several members of a oneof, only the last member is kept.
        foreach (var other in field.RealContainingOneof?.Fields ?? [])
        {
            if (other != field)
                message.Remove(other);
        }
        message.Set(field, value);
    }

    private void Count()
    {
        if (++values > MostValues)
            throw new SchemaException($"the message is too large to be read: it has more than {MostValues} values");
    }

    private void Entry(MessageValue message, FieldDescriptor field, MessageValue entry)
    {
        Count();
        var (key, value) = (FieldRules.Key(field), FieldRules.Value(field));
        if (message.Get(field) is not OrderedDictionary<object, object> map)
            message.Set(field, map = []);
        map[entry.Get(key) ?? FieldRules.Default(key)!] =
            entry.Get(value) ?? FieldRules.Default(value) ?? new MessageValue(value.MessageType);
    }

    private static uint EndTag(uint tag) => WireFormat.MakeTag(WireFormat.GetTagFieldNumber(tag), WireFormat.WireType.EndGroup);

    private static object Scalar(CodedInputStream input, FieldType type) => type switch
    {
        FieldType.Double => input.ReadDouble(),
        FieldType.Float => input.ReadFloat(),
        FieldType.Int64 => input.ReadInt64(),
        FieldType.UInt64 => input.ReadUInt64(),
        FieldType.Int32 => input.ReadInt32(),
        FieldType.Fixed64 => input.ReadFixed64(),
        FieldType.Fixed32 => input.ReadFixed32(),
        FieldType.Bool => input.ReadBool(),
        FieldType.String => input.ReadString(),
        FieldType.Bytes => input.ReadBytes(),
        FieldType.UInt32 => input.ReadUInt32(),
        FieldType.SFixed32 => input.ReadSFixed32(),
        FieldType.SFixed64 => input.ReadSFixed64(),
        FieldType.SInt32 => input.ReadSInt32(),
        FieldType.SInt64 => input.ReadSInt64(),
        FieldType.Enum => input.ReadEnum(),
        _ => throw new InvalidOperationException($"{type} is no scalar"),
    };
}
