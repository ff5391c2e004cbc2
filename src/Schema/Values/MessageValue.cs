using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Values;

/// <summary>
/// A message of a type that is known only at run time. Google.Protobuf for C# has no such class. Fields are in
/// Google.Protobuf's order: by number, extensions last. A value is <see cref="int"/> (also for enums),
/// <see cref="uint"/>, <see cref="long"/>, <see cref="ulong"/>, <see cref="float"/>, <see cref="double"/>,
/// <see cref="bool"/>, <see cref="string"/>, <see cref="Google.Protobuf.ByteString"/> or <see cref="MessageValue"/>. A
/// repeated field is a <c>List&lt;object&gt;</c>, a map an <c>OrderedDictionary&lt;object, object&gt;</c>. If the JSON
/// set a field to null, its value is null.
/// </summary>
internal sealed class MessageValue(MessageDescriptor type)
{
    private readonly SortedList<(bool Extension, int Number), (FieldDescriptor Field, object? Value)> fields = [];

    public MessageDescriptor Type { get; } = type;

    public IEnumerable<(FieldDescriptor Field, object? Value)> Fields => fields.Values;

    public bool Has(FieldDescriptor field) => fields.ContainsKey(Key(field));

    public object? Get(FieldDescriptor field) => fields.TryGetValue(Key(field), out var known) ? known.Value : null;

    public T? Get<T>(int number) => fields.TryGetValue((false, number), out var known) && known.Value is T value ? value : default;

    public void Set(FieldDescriptor field, object? value) => fields[Key(field)] = (field, value);

    public MessageValue Set(int number, object? value)
    {
        Set(Type.FindFieldByNumber(number), value);
        return this;
    }

    public void Remove(FieldDescriptor field) => fields.Remove(Key(field));

    private static (bool, int) Key(FieldDescriptor field) => (field.IsExtension, field.FieldNumber);
}
