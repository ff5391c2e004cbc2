using System.Runtime.CompilerServices;
using System.Text.Json;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Json;

/// <summary>
/// Reads a message from JSON by the protobuf JSON mapping (https://protobuf.dev/programming-guides/json). This reader is
/// stricter than most readers: an unknown or repeated name is an error, so that a typing error is seen.
/// </summary>
internal sealed class JsonReader
{
    private static readonly ConditionalWeakTable<MessageDescriptor, Dictionary<string, FieldDescriptor>> ByName = [];

    private readonly JsonSource source;
    private readonly MethodTypes types;
    private readonly ScalarReader scalars;
    private readonly WellKnownReader wellKnown;

    public JsonReader(JsonSource source, MethodTypes types)
    {
        this.source = source;
        this.types = types;
        scalars = new ScalarReader(source);
        wellKnown = new WellKnownReader(source, types, this);
    }

    /// <summary>Reads a text that holds exactly one message.</summary>
    /// <exception cref="InputException">
    /// The text is not JSON of this type. The error message names the line and the column.
    /// </exception>
    public static MessageValue Read(MessageDescriptor type, JsonSource source, MethodTypes types) =>
        new JsonReader(source, types).Message(type, JsonNode.Parse(source));

    public MessageValue Message(MessageDescriptor type, JsonNode node)
    {
        var kind = WellKnownTypes.Find(type);
        return kind == WellKnown.None ? Object(type, node) : wellKnown.Read(kind, type, node);
    }

    /// <summary>Reads a message field by field, and skips the member named <paramref name="except"/>.</summary>
    public MessageValue Object(MessageDescriptor type, JsonNode node, string? except = null)
    {
        if (node.Kind != JsonValueKind.Object)
            throw this.source.Error(node.At, $"{type.FullName} takes an object in braces, not {node.Shown}");
        var message = new MessageValue(type);
        foreach (var (name, at, value) in node.Members)
        {
            if (name == except)
                continue;
            var field = Find(type, name)
                ?? throw this.source.Error(at, $"{type.FullName} has no field \"{JsonNode.Short(name)}\"{Nearest.Hint(name, Names(type))}");
            if (message.Has(field))
                throw this.source.Error(at, $"the field \"{JsonNode.Short(name)}\" appears twice");
            if (value.Kind == JsonValueKind.Null && (field.IsRepeated || !HoldsNull(field)))
                message.Set(field, null);
            else if (field.RealContainingOneof?.Fields.FirstOrDefault(other => message.Get(other) is not null) is { } other)
                throw Excluded(at, name, other);
            else
                message.Set(field, Field(field, value));
        }
        if (type.Fields.InFieldNumberOrder().FirstOrDefault(field => field.IsRequired && message.Get(field) is null) is { } missing)
            throw this.source.Error(node.At, $"{type.FullName} requires the field \"{missing.JsonName}\"");
        return message;
    }

    /// <summary>Reads the value of a field. Never null.</summary>
    public object Field(FieldDescriptor field, JsonNode node)
    {
        if (field.IsMap)
            return Map(field, node);
        if (!field.IsRepeated)
            return One(field, node);
        if (node.Kind != JsonValueKind.Array)
            throw this.source.Error(node.At, $"{field.FullName} is repeated and takes a list in brackets, not {node.Shown}");
        var list = new List<object>(node.Items.Count);
        foreach (var item in node.Items)
        {
            RefuseNull(field, field, item);
            list.Add(One(field, item));
        }
        return list;
    }

    /// <summary>Reads an element of a list, or a single field.</summary>
    private object One(FieldDescriptor field, JsonNode node) =>
        field.FieldType is FieldType.Message or FieldType.Group ? Message(field.MessageType, node) : scalars.Read(field, node);

    private OrderedDictionary<object, object> Map(FieldDescriptor field, JsonNode node)
    {
        if (node.Kind != JsonValueKind.Object)
            throw this.source.Error(node.At, $"{field.FullName} is a map and takes an object in braces, not {node.Shown}");
        var (keyField, valueField) = (FieldRules.Key(field), FieldRules.Value(field));
        var map = new OrderedDictionary<object, object>();
        foreach (var (name, at, value) in node.Members)
        {
            var key = scalars.Read(keyField, new JsonNode(JsonValueKind.String, at, name), isKey: true);
            RefuseNull(field, valueField, value);
            if (!map.TryAdd(key, One(valueField, value)))
                throw this.source.Error(at, $"the key \"{JsonNode.Short(name)}\" appears twice");
        }
        return map;
    }

    private InputException Excluded(int at, string name, FieldDescriptor other) =>
        this.source.Error(at, $"\"{name}\" and \"{other.JsonName}\" exclude each other: both are of {other.RealContainingOneof.Name}");

    private void RefuseNull(FieldDescriptor field, FieldDescriptor item, JsonNode node)
    {
        if (node.Kind == JsonValueKind.Null && !HoldsNull(item))
            throw this.source.Error(node.At, $"{field.FullName} takes no null among its values");
    }

    // For Value and NullValue the JSON null is a value. For all other types null means that the field is not set.
    private static bool HoldsNull(FieldDescriptor field) => field.FieldType is FieldType.Message or FieldType.Group
        ? WellKnownTypes.Find(field.MessageType) == WellKnown.Value
        : field.FieldType == FieldType.Enum && field.EnumType.FullName == "google.protobuf.NullValue";

    private FieldDescriptor? Find(MessageDescriptor type, string name)
    {
        if (name is ['[', .. var extension, ']'])
            return this.types.Extension(type, extension);
        return ByName.GetValue(type, Named).GetValueOrDefault(name);
    }

    // The JSON name has priority. The name in the .proto is accepted too.
    private static Dictionary<string, FieldDescriptor> Named(MessageDescriptor type)
    {
        var named = new Dictionary<string, FieldDescriptor>(StringComparer.Ordinal);
        foreach (var field in type.Fields.InFieldNumberOrder())
            named.TryAdd(field.JsonName, field);
        foreach (var field in type.Fields.InFieldNumberOrder())
            named.TryAdd(field.Name, field);
        return named;
    }

    private IEnumerable<string> Names(MessageDescriptor type) =>
        type.Fields.InDeclarationOrder().Select(field => field.JsonName)
            .Concat(this.types.Extensions(type).Select(field => $"[{field.FullName}]"));
}
