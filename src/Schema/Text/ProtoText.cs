using System.Globalization;
using System.Text;
using Google.Protobuf.Reflection;
using FieldType = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Labels = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace IpcBench.Schema.Text;

/// <summary>
/// Writes descriptors as the .proto text they could have been compiled from: syntax, package, imports, messages, enums, services,
/// extensions. Comments, reserved names and options that touch neither bytes nor JSON are left out.
/// </summary>
internal sealed class ProtoText
{
    // descriptor.proto: a range's end is exclusive, and "max" is the largest field number.
    private const int AfterMax = 536_870_912;

    private readonly FileDescriptorProto file;
    private readonly TypeNames names;
    private readonly StringBuilder text = new();
    private int depth;

    private ProtoText(FileDescriptorProto file, TypeNames names) => (this.file, this.names) = (file, names);

    /// <summary>The file, or of its top-level messages, enums and services those that <paramref name="wanted"/> accepts by name.</summary>
    public static string Write(FileDescriptorProto file, TypeNames names, Func<string, bool>? wanted = null)
    {
        var writer = new ProtoText(file, names);
        writer.Header();
        foreach (var service in file.Service.Where(service => wanted?.Invoke(service.Name) ?? true))
            writer.Service(service);
        foreach (var message in file.MessageType.Where(message => wanted?.Invoke(message.Name) ?? true))
            writer.Apart().Message(message, file.Package);
        foreach (var type in file.EnumType.Where(type => wanted?.Invoke(type.Name) ?? true))
            writer.Apart().Enum(type);
        if (wanted is null)
            writer.Extensions(file.Extension, file.Package, file.MessageType);
        return writer.text.ToString();
    }

    private void Header()
    {
        Line(file.Syntax == "editions" ? "edition = \"2023\";" : $"syntax = \"{(file.Syntax.Length == 0 ? "proto2" : file.Syntax)}\";");
        if (this.file.Package.Length > 0)
            Apart().Line($"package {this.file.Package};");
        if (this.file.Dependency.Count > 0)
            Apart();
        for (var at = 0; at < this.file.Dependency.Count; at++)
        {
            var kind = this.file.PublicDependency.Contains(at) ? "public " : this.file.WeakDependency.Contains(at) ? "weak " : "";
            Line($"import {kind}{Quoted(this.file.Dependency[at])};");
        }
        if (this.file.Options?.Features is { } features)
            Apart().Options(Features(features));
    }

    private void Service(ServiceDescriptorProto service)
    {
        Apart().Open($"service {service.Name}");
        foreach (var method in service.Method)
        {
            var (input, output) = (Name(method.InputType, this.file.Package), Name(method.OutputType, this.file.Package));
            var request = (method.ClientStreaming ? "stream " : "") + input;
            var reply = (method.ServerStreaming ? "stream " : "") + output;
            Line($"rpc {method.Name}({request}) returns ({reply});");
        }
        Close();
    }

    private void Message(DescriptorProto message, string scope, string? heading = null)
    {
        var name = scope.Length == 0 ? message.Name : $"{scope}.{message.Name}";
        Open(heading ?? $"message {message.Name}");
        Options(Features(message.Options?.Features));
        if (message.Options?.MessageSetWireFormat == true)
            Line("option message_set_wire_format = true;");
        foreach (var field in message.Field)
            Field(field, message, name);
        foreach (var range in message.ExtensionRange)
            Line($"extensions {range.Start} to {(range.End == AfterMax ? "max" : range.End - 1)};");
        foreach (var nested in message.NestedType.Where(nested => nested.Options?.MapEntry != true && !IsGroup(nested, message)))
            Apart().Message(nested, name);
        foreach (var type in message.EnumType)
            Apart().Enum(type);
        Extensions(message.Extension, name, message.NestedType);
        Close();
    }

    private static bool IsGroup(DescriptorProto nested, DescriptorProto message) =>
        message.Field.Concat(message.Extension)
            .Any(field => field.Type == FieldType.Group && field.TypeName.EndsWith($".{nested.Name}", StringComparison.Ordinal));

    private void Field(FieldDescriptorProto field, DescriptorProto message, string scope)
    {
        if (!field.HasOneofIndex || field.Proto3Optional)
        {
            Member(field, message.NestedType, scope, Label(field));
            return;
        }
        // The members of a oneof stand together: the first of them opens it.
        var members = message.Field.Where(other => other.HasOneofIndex && other.OneofIndex == field.OneofIndex).ToList();
        if (members[0] != field)
            return;
        Open($"oneof {message.OneofDecl[field.OneofIndex].Name}");
        foreach (var member in members)
            Member(member, message.NestedType, scope, "");
        Close();
    }

    private string Label(FieldDescriptorProto field) => field.Label switch
    {
        Labels.Repeated => "repeated ",
        Labels.Required => "required ",
        _ => field.Proto3Optional || this.file.Syntax is "" or "proto2" ? "optional " : "",
    };

    private void Member(FieldDescriptorProto field, IEnumerable<DescriptorProto> nested, string scope, string label)
    {
        var inner = nested.FirstOrDefault(type => IsInner(field, scope, type));
        var options = FieldOptionsText.Of(field) is { Count: > 0 } set ? $" [{string.Join(", ", set)}]" : "";
        if (field.Type == FieldType.Group && inner is not null)
            Message(inner, scope, $"{label}group {inner.Name} = {field.Number}{options}");
        else if (inner?.Options?.MapEntry == true)
            Line($"map<{TypeOf(inner.Field[0], scope)}, {TypeOf(inner.Field[1], scope)}> {field.Name} = {field.Number}{options};");
        else
            Line($"{label}{TypeOf(field, scope)} {field.Name} = {field.Number}{options};");
    }

    private bool IsInner(FieldDescriptorProto field, string scope, DescriptorProto type) =>
        this.names.Full(field.TypeName, scope) == (scope.Length == 0 ? $".{type.Name}" : $".{scope}.{type.Name}");

    private void Enum(EnumDescriptorProto type)
    {
        Open($"enum {type.Name}");
        Options(Features(type.Options?.Features));
        if (type.Options?.AllowAlias == true)
            Line("option allow_alias = true;");
        foreach (var value in type.Value)
            Line($"{value.Name} = {value.Number};");
        Close();
    }

    private void Extensions(IEnumerable<FieldDescriptorProto> extensions, string scope, IEnumerable<DescriptorProto> nested)
    {
        foreach (var group in extensions.GroupBy(extension => extension.Extendee))
        {
            Apart().Open($"extend {Name(group.Key, scope)}");
            foreach (var extension in group)
                Member(extension, nested, scope, Label(extension));
            Close();
        }
    }

    private string TypeOf(FieldDescriptorProto field, string scope) =>
        field.Type is FieldType.Message or FieldType.Enum or FieldType.Group
            ? Name(field.TypeName, scope)
            : field.Type.ToString().ToLowerInvariant();

    private string Name(string type, string scope) => this.names.Shortest(type, scope);

    private void Options(IEnumerable<string> options)
    {
        foreach (var option in options)
            Line($"option {option};");
    }

    internal static IEnumerable<string> Features(FeatureSet? features)
    {
        foreach (var field in FeatureSet.Descriptor.Fields.InFieldNumberOrder())
        {
            if (features is not null && field.Accessor.HasValue(features))
                yield return $"features.{field.Name} = {field.EnumType.FindValueByNumber((int)field.Accessor.GetValue(features)).Name}";
        }
    }

    internal static string Quoted(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (var letter in text)
        {
            if (letter is '"' or '\\')
                quoted.Append('\\').Append(letter);
            else if (char.IsControl(letter))
                AppendOctal(quoted, letter);
            else
                quoted.Append(letter);
        }
        return quoted.Append('"').ToString();
    }

    // An escape is a byte of UTF-8. Those above ASCII (C1) a terminal may obey, too.
    private static void AppendOctal(StringBuilder quoted, char letter)
    {
        foreach (var unit in Encoding.UTF8.GetBytes([letter]))
            quoted.Append('\\').Append(System.Convert.ToString(unit, 8).PadLeft(3, '0'));
    }

    private ProtoText Apart()
    {
        if (this.text.Length > 0 && !this.text.ToString(this.text.Length - 2, 2).Equals("{\n", StringComparison.Ordinal))
            this.text.Append('\n');
        return this;
    }

    private void Open(string heading)
    {
        Line($"{heading} {{");
        depth++;
    }

    private void Close()
    {
        depth--;
        Line("}");
    }

    private void Line(string line) => this.text.Append(CultureInfo.InvariantCulture, $"{new string(' ', 2 * depth)}{line}\n");
}

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
