using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Json;

/// <summary>
/// Which fields are written: the fields of canonical JSON, the set fields, or the set fields and all unset fields without presence.
/// </summary>
internal enum JsonFields { Canonical, AsSet, All }

/// <summary>
/// Writes a message as JSON: fields in the order of their numbers under their JSON names, 64-bit integers as text, enums by name.
/// Canonical omits fields without presence that have their default. All writes these fields too, even empty lists and maps.
/// </summary>
internal sealed class JsonWriter(MethodTypes types, JsonFields fields = JsonFields.Canonical)
{
    /// <summary>
    /// A limit that no output reaches. The deepest possible output has about 2,000 levels: messages nest at most 100 levels, a
    /// list or map may be at each level, and at most 10 Any are inside each other.
    /// </summary>
    public const int Deepest = 10_000;

    // The text goes to a terminal or a file, never into HTML. So quotes and umlauts stay readable.
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, MaxDepth = Deepest };

    // WireReader counts the depth anew inside each Any. So the number of Any messages inside each other has its own limit.
    private const int DeepestAny = 10;

    private int anyDepth;

    public string Write(MessageValue message)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var output = new Utf8JsonWriter(buffer, Options))
            Message(output, message);
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    private void Message(Utf8JsonWriter output, MessageValue message)
    {
        var kind = WellKnownTypes.Find(message.Type);
        if (kind != WellKnown.None)
        {
            WellKnownForm(output, kind, message);
            return;
        }
        output.WriteStartObject();
        Fields(output, message);
        output.WriteEndObject();
    }

    private void Fields(Utf8JsonWriter output, MessageValue message)
    {
        foreach (var (field, value) in fields == JsonFields.All ? WithDefaults(message) : message.Fields)
        {
            if (fields == JsonFields.Canonical && !field.IsRepeated && !FieldRules.HasPresence(field) && FieldRules.IsDefault(value ?? 0))
                continue;
            output.WritePropertyName(field.IsExtension ? $"[{field.FullName}]" : field.JsonName);
            Field(output, field, value ?? Unset(field));
        }
    }

    private static IEnumerable<(FieldDescriptor Field, object? Value)> WithDefaults(MessageValue message)
    {
        foreach (var field in message.Type.Fields.InFieldNumberOrder())
        {
            if (message.Has(field))
                yield return (field, message.Get(field));
            else if (Unset(field) is { } value)
                yield return (field, value);
        }
        foreach (var (field, value) in message.Fields.Where(known => known.Field.IsExtension))
            yield return (field, value);
    }

    /// <summary>Returns the value of a field that is not set. Null for a field with presence.</summary>
    private static object? Unset(FieldDescriptor field) =>
        field.IsMap ? new OrderedDictionary<object, object>()
        : field.IsRepeated ? new List<object>()
        : FieldRules.HasPresence(field) ? null : FieldRules.Default(field);

    private void Field(Utf8JsonWriter output, FieldDescriptor field, object? value)
    {
        switch (value)
        {
            case null:
                output.WriteNullValue();
                break;
            case OrderedDictionary<object, object> map:
                output.WriteStartObject();
                foreach (var (key, item) in map)
                {
                    output.WritePropertyName(Key(key));
                    One(output, FieldRules.Value(field), item);
                }
                output.WriteEndObject();
                break;
            case List<object> list:
                output.WriteStartArray();
                foreach (var item in list)
                    One(output, field, item);
                output.WriteEndArray();
                break;
            default:
                One(output, field, value);
                break;
        }
    }

    private static string Key(object key) =>
        key is bool truth ? (truth ? "true" : "false") : Convert.ToString(key, CultureInfo.InvariantCulture)!;

    private void One(Utf8JsonWriter output, FieldDescriptor field, object value)
    {
        switch (value)
        {
            case MessageValue message:
                Message(output, message);
                break;
            case int number when field.FieldType == FieldType.Enum:
                Enum(output, field.EnumType, number);
                break;
            case int number: output.WriteNumberValue(number); break;
            case uint number: output.WriteNumberValue(number); break;
            case long or ulong: output.WriteStringValue(Key(value)); break;
            case float number when float.IsFinite(number): output.WriteNumberValue(number); break;
            case double number when double.IsFinite(number): output.WriteNumberValue(number); break;
            case float or double: output.WriteStringValue(Key(value)); break;
            case bool truth: output.WriteBooleanValue(truth); break;
            case string text: output.WriteStringValue(text); break;
            case ByteString bytes: output.WriteBase64StringValue(bytes.Span); break;
        }
    }

    private static void Enum(Utf8JsonWriter output, EnumDescriptor type, int number)
    {
        if (type.FullName == "google.protobuf.NullValue")
            output.WriteNullValue();
        else if (type.FindValueByNumber(number) is { } value)
            output.WriteStringValue(value.Name);
        else
            output.WriteNumberValue(number);
    }

    private void WellKnownForm(Utf8JsonWriter output, WellKnown kind, MessageValue message)
    {
        switch (kind)
        {
            case WellKnown.Timestamp:
                output.WriteStringValue(WellKnownText.Timestamp(message.Get<long>(1), message.Get<int>(2)) ?? OutOfRange(message));
                break;
            case WellKnown.Duration:
                output.WriteStringValue(WellKnownText.Duration(message.Get<long>(1), message.Get<int>(2)) ?? OutOfRange(message));
                break;
            case WellKnown.FieldMask:
                var paths = (message.Get<List<object>>(1) ?? []).Cast<string>().ToList();
                output.WriteStringValue(WellKnownText.Mask(paths) ?? string.Join(',', paths));
                break;
            case WellKnown.Struct:
                Field(output, message.Type.FindFieldByNumber(1), message.Get<OrderedDictionary<object, object>>(1) ?? []);
                break;
            case WellKnown.ListValue:
                Field(output, message.Type.FindFieldByNumber(1), message.Get<List<object>>(1) ?? []);
                break;
            case WellKnown.Value:
                Value(output, message);
                break;
            case WellKnown.Any:
                Any(output, message);
                break;
            default:
                var value = message.Type.FindFieldByNumber(1);
                One(output, value, message.Get(value) ?? FieldRules.Default(value)!);
                break;
        }
    }

    // The server's value is shown even if JSON has no form for it.
    private static string OutOfRange(MessageValue message) =>
        string.Create(CultureInfo.InvariantCulture, $"{message.Get<long>(1)} s {message.Get<int>(2)} ns, out of range");

    private void Value(Utf8JsonWriter output, MessageValue message)
    {
        var set = message.Fields.FirstOrDefault();
        if (set.Value is null or int)
            output.WriteNullValue();
        else
            One(output, set.Field, set.Value);
    }

    private void Any(Utf8JsonWriter output, MessageValue message)
    {
        var (url, bytes) = (message.Get<string>(1) ?? "", message.Get<ByteString>(2) ?? ByteString.Empty);
        output.WriteStartObject();
        if (url.Length > 0)
            output.WriteString("@type", url);
        if (anyDepth == DeepestAny || types.Message(url[(url.LastIndexOf('/') + 1)..]) is not { } inner)
        {
            if (!bytes.IsEmpty)
                output.WriteBase64String("value", bytes.Span);
        }
        else
        {
            var held = new WireReader(types).Read(inner, bytes.ToByteArray());
            anyDepth++;
            if (WellKnownTypes.HasOwnForm(inner))
            {
                output.WritePropertyName("value");
                Message(output, held);
            }
            else
            {
                Fields(output, held);
            }
            anyDepth--;
        }
        output.WriteEndObject();
    }
}
