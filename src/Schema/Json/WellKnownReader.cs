using System.Globalization;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Json;

/// <summary>Reads the messages that have their own form in JSON. The field numbers are those of the messages' .proto files.</summary>
internal sealed class WellKnownReader(JsonSource source, MethodTypes types, JsonReader reader)
{
    private const string TypeMember = "@type";

    public MessageValue Read(WellKnown kind, MessageDescriptor type, JsonNode node) => kind switch
    {
        WellKnown.Timestamp => Moment(
            type, node, WellKnownText.ParseTimestamp, "a time such as \"2024-05-17T09:30:00.5Z\", years 0001 to 9999"),
        WellKnown.Duration => Moment(type, node, WellKnownText.ParseDuration, "seconds such as \"1.5s\", up to 315576000000"),
        WellKnown.FieldMask => Mask(type, node),
        WellKnown.Struct when node.Kind != JsonValueKind.Object => throw Wrong(type, node, "an object in braces"),
        WellKnown.ListValue when node.Kind != JsonValueKind.Array => throw Wrong(type, node, "a list in brackets"),
        WellKnown.Value => Value(type, node),
        WellKnown.Any => Any(type, node),
        // A Struct, a ListValue and a wrapper have one field, and the form of this field.
        _ => new MessageValue(type).Set(1, reader.Field(type.FindFieldByNumber(1), node)),
    };

    private InputException Wrong(MessageDescriptor type, JsonNode node, string wanted) =>
        source.Error(node.At, $"a {type.FullName} takes {wanted}, not {node.Shown}");

    private MessageValue Moment(MessageDescriptor type, JsonNode node, Func<string, (long Seconds, int Nanos)?> parse, string wanted)
    {
        var moment = node.Kind == JsonValueKind.String ? parse(node.Text) : null;
        return moment is var (seconds, nanos) ? new MessageValue(type).Set(1, seconds).Set(2, nanos) : throw Wrong(type, node, wanted);
    }

    private MessageValue Mask(MessageDescriptor type, JsonNode node)
    {
        var paths = node.Kind == JsonValueKind.String ? WellKnownText.ParseMask(node.Text) : null;
        return paths is not null
            ? new MessageValue(type).Set(1, paths.Cast<object>().ToList())
            : throw Wrong(type, node, "paths in camel case with commas such as \"user.displayName,photo\"");
    }

    // struct.proto has null_value 1, number_value 2, string_value 3, bool_value 4, struct_value 5 and list_value 6.
    private MessageValue Value(MessageDescriptor type, JsonNode node)
    {
        var value = new MessageValue(type);
        return node.Kind switch
        {
            JsonValueKind.Null => value.Set(1, 0),
            JsonValueKind.Number => value.Set(2, Number(type, node)),
            JsonValueKind.String => value.Set(3, node.Text),
            JsonValueKind.Object => value.Set(5, reader.Message(type.FindFieldByNumber(5).MessageType, node)),
            JsonValueKind.Array => value.Set(6, reader.Message(type.FindFieldByNumber(6).MessageType, node)),
            _ => value.Set(4, node.Kind == JsonValueKind.True),
        };
    }

    private double Number(MessageDescriptor type, JsonNode node)
    {
        var number = double.Parse(node.Text, CultureInfo.InvariantCulture);
        return double.IsFinite(number) ? number : throw Wrong(type, node, "numbers up to 1.7976931348623157E+308");
    }

    private MessageValue Any(MessageDescriptor type, JsonNode node)
    {
        if (node.Kind != JsonValueKind.Object)
            throw Wrong(type, node, "an object with \"@type\"");
        var any = new MessageValue(type);
        if (node.Members.Count == 0)
            return any;
        var named = node.Members.Where(member => member.Name == TypeMember).ToList();
        if (named is not [{ Value.Kind: JsonValueKind.String } url])
            throw source.Error(node.At, $"a {type.FullName} needs one \"@type\", as in \"type.googleapis.com/google.protobuf.Duration\"");
        var name = url.Value.Text[(url.Value.Text.LastIndexOf('/') + 1)..];
        var inner = url.Value.Text.Contains('/') ? types.Message(name) : null;
        if (inner is null)
            throw source.Error(
                url.Value.At, $"the type {url.Value.Shown} is unknown: write type.googleapis.com/ and the full name of a message");
        var message = WellKnownTypes.HasOwnForm(inner) ? Held(inner, node) : reader.Object(inner, node, except: TypeMember);
        return any.Set(1, url.Value.Text).Set(2, ByteString.CopyFrom(WireWriter.Write(message)));
    }

    private MessageValue Held(MessageDescriptor inner, JsonNode node)
    {
        var rest = node.Members.Where(member => member.Name != TypeMember).ToList();
        return rest is [{ Name: "value" } value]
            ? reader.Message(inner, value.Value)
            : throw source.Error(node.At, $"a {inner.FullName} in an Any takes the member \"value\" alone");
    }
}
