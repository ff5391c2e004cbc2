using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Google.Protobuf.WellKnownTypes;

namespace IpcBench.Schema.Tests.Support;

/// <summary>
/// Makes messages of any generated type. Each field is set or left out, and is set to a limit of its range more often than by chance.
/// Timestamps, durations, masks, values and Any have only contents that JSON can express.
/// </summary>
internal static class RandomMessages
{
    /// <summary>Makes 200 messages, or 5,000 with IPCBENCH_DRAWS=all, each with a seed of its own.</summary>
    public static IEnumerable<T> Of<T>() where T : IMessage<T>, new() =>
        Enumerable.Range(0, Count).Select(seed => (T)Message(new T().Descriptor, new Random(seed), 3));

    private static int Count => Environment.GetEnvironmentVariable("IPCBENCH_DRAWS") == "all" ? 5000 : 200;

    private static IMessage Message(MessageDescriptor type, Random random, int depth)
    {
        var message = type.Parser.ParseFrom(ByteString.Empty.ToByteArray()) is { } empty ? empty : throw new InvalidOperationException();
        switch (message)
        {
            case Timestamp timestamp:
                timestamp.Seconds = random.NextInt64(-62135596800, 253402300800);
                timestamp.Nanos = Nanos(random);
                return timestamp;
            case Duration duration:
                var sign = random.Next(2) * 2 - 1;
                duration.Seconds = sign * random.NextInt64(0, random.Next(2) == 0 ? 2 : 315_576_000_000);
                duration.Nanos = sign * Nanos(random);
                return duration;
            case FieldMask mask:
                string[] paths = ["a", "user.display_name", "photo", "x1.y_z"];
                mask.Paths.Add(paths.Take(random.Next(5)));
                return mask;
            case Value value:
                Fill(value, random, depth);
                return value;
            case Any any:
                return depth <= 0 ? Any.Pack(new Empty()) : Held(any, random, depth);
        }
        foreach (var field in type.Fields.InFieldNumberOrder())
        {
            var member = field.RealContainingOneof;
            if (field.IsRequired || (member is null ? random.Next(2) == 0 : random.Next(member.Fields.Count) == 0))
                Fill(message, field, random, depth);
        }
        return message;
    }

    private static Any Held(Any any, Random random, int depth)
    {
        MessageDescriptor[] known =
        [
            Rich.Item.Descriptor, Rich.Three.Descriptor, Duration.Descriptor, Struct.Descriptor, Int64Value.Descriptor, Empty.Descriptor,
        ];
        return random.Next(10) == 0
            ? Any.Pack(Any.Pack(new Rich.Item()))
            : Any.Pack(Message(known[random.Next(known.Length)], random, depth - 2));
    }

    private static void Fill(IMessage message, FieldDescriptor field, Random random, int depth)
    {
        if (field.FieldType is FieldType.Message or FieldType.Group && depth <= 0 && !field.IsMap && !field.IsRequired)
            return;
        var current = field.Accessor.GetValue(message);
        if (current is IDictionary map)
        {
            var (key, value) = (field.MessageType.FindFieldByNumber(1), field.MessageType.FindFieldByNumber(2));
            if (depth > 0)
            {
                for (var left = random.Next(4); left > 0; left--)
                    map[Key(key, random)] = One(value, random, depth - 1);
            }
        }
        else if (field.IsRepeated)
        {
            for (var left = random.Next(4); left > 0; left--)
                ((IList)current).Add(One(field, random, depth - 1));
        }
        else
        {
            var value = One(field, random, depth - 1);
            // Generated C# code drops a -0.0 here, but this project writes -0.0, which a separate test checks.
            field.Accessor.SetValue(message, value is 0d or 0f && !field.HasPresence ? Convert.ChangeType(0, value.GetType()) : value);
        }
    }

    // Google's formatter refuses an empty key of a Struct.
    private static object Key(FieldDescriptor key, Random random) =>
        key.ContainingType.FullName == "google.protobuf.Struct.FieldsEntry" ? "k" + Text(random) : One(key, random, 0);

    private static void Fill(Value value, Random random, int depth)
    {
        switch (random.Next(depth <= 0 ? 4 : 6))
        {
            case 0: value.NullValue = NullValue.NullValue; break;
            case 1: value.NumberValue = Double(random) is var number && double.IsFinite(number) ? number : -1.5; break;
            case 2: value.StringValue = Text(random); break;
            case 3: value.BoolValue = random.Next(2) == 0; break;
            case 4: value.StructValue = (Struct)Message(Struct.Descriptor, random, depth - 1); break;
            default: value.ListValue = (ListValue)Message(ListValue.Descriptor, random, depth - 1); break;
        }
    }

    private static object One(FieldDescriptor field, Random random, int depth) => field.FieldType switch
    {
        FieldType.Double => Double(random),
        FieldType.Float => Float(random),
        FieldType.Int64 or FieldType.SInt64 or FieldType.SFixed64 => Long(random),
        FieldType.UInt64 or FieldType.Fixed64 => (ulong)Long(random),
        FieldType.Int32 or FieldType.SInt32 or FieldType.SFixed32 => Int(random),
        FieldType.UInt32 or FieldType.Fixed32 => (uint)Int(random),
        FieldType.Bool => random.Next(2) == 0,
        FieldType.String => Text(random),
        FieldType.Bytes => Bytes(random),
        FieldType.Enum => System.Enum.ToObject(field.EnumType.ClrType, Number(field, random)),
        _ => Wrapped(field) is { } inner ? One(inner, random, depth) : Message(field.MessageType, random, depth),
    };

    // In C# a wrapper's accessor takes the plain value.
    private static FieldDescriptor? Wrapped(FieldDescriptor field) =>
        field.MessageType.File.Name == "google/protobuf/wrappers.proto" ? field.MessageType.FindFieldByNumber(1) : null;

    private static int Number(FieldDescriptor field, Random random)
    {
        var open = field.File.ToProto().Syntax == "proto3" && field.EnumType.FullName != "google.protobuf.NullValue";
        return open && random.Next(5) == 0
            ? 1_000 + random.Next(9)
            : field.EnumType.Values[random.Next(field.EnumType.Values.Count)].Number;
    }

    private static int Nanos(Random random) => random.Next(4) switch
    {
        0 => 0,
        1 => random.Next(1000) * 1_000_000,
        2 => random.Next(1_000_000) * 1000,
        _ => random.Next(1_000_000_000),
    };

    private static int Int(Random random) =>
        random.Next(5) switch { 0 => 0, 1 => int.MinValue, 2 => -1, 3 => int.MaxValue, _ => (int)random.NextInt64() };

    private static long Long(Random random) =>
        random.Next(5) switch { 0 => 0, 1 => long.MinValue, 2 => -1, 3 => long.MaxValue, _ => random.NextInt64() };

    private static double Double(Random random) => random.Next(8) switch
    {
        0 => 0,
        1 => -0.0,
        2 => double.NaN,
        3 => double.PositiveInfinity,
        4 => double.MaxValue,
        5 => double.Epsilon,
        6 => random.Next(100),
        _ => random.NextDouble() * 1e9,
    };

    private static float Float(Random random) => random.Next(8) switch
    {
        0 => 0,
        1 => -0.0f,
        2 => float.NaN,
        3 => float.NegativeInfinity,
        4 => float.MaxValue,
        5 => float.Epsilon,
        6 => random.Next(100),
        _ => random.NextSingle(),
    };

    private static string Text(Random random)
    {
        string[] pieces = ["", "a", "Straße", "日本", "\"\\/", "\u0001\n\t", "🎉", " ", "</script>", "null", "\u2028"];
        return string.Concat(Enumerable.Range(0, random.Next(4)).Select(_ => pieces[random.Next(pieces.Length)]));
    }

    private static ByteString Bytes(Random random)
    {
        var bytes = new byte[random.Next(6)];
        random.NextBytes(bytes);
        return ByteString.CopyFrom(bytes);
    }
}
