using Google.Protobuf.Reflection;
using FieldType = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;

namespace IpcBench.Schema.Text;

/// <summary>What stands in brackets behind a field.</summary>
internal static class FieldOptionsText
{
    public static IReadOnlyList<string> Of(FieldDescriptorProto field)
    {
        var options = new List<string>();
        if (field.HasDefaultValue)
            options.Add($"default = {Default(field)}");
        // An extension's JSON name is its full name in brackets, whatever is said here.
        if (field.HasJsonName && field.JsonName != JsonName(field.Name) && !field.HasExtendee)
            options.Add($"json_name = {ProtoText.Quoted(field.JsonName)}");
        if (field.Options?.HasPacked == true)
            options.Add($"packed = {(field.Options.Packed ? "true" : "false")}");
        if (field.Options?.Deprecated == true)
            options.Add("deprecated = true");
        options.AddRange(ProtoText.Features(field.Options?.Features));
        return options;
    }

    // descriptor.proto: the default of bytes is kept with its escapes, that of a string as it is.
    private static string Default(FieldDescriptorProto field) => field.Type switch
    {
        FieldType.String => ProtoText.Quoted(field.DefaultValue),
        FieldType.Bytes => $"\"{field.DefaultValue}\"",
        _ => field.DefaultValue,
    };

    private static string JsonName(string name)
    {
        var letters = new List<char>(name.Length);
        for (var at = 0; at < name.Length; at++)
        {
            if (name[at] != '_')
                letters.Add(at > 0 && name[at - 1] == '_' ? char.ToUpperInvariant(name[at]) : name[at]);
        }
        return string.Concat(letters);
    }
}
