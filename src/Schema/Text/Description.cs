using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Text;

/// <summary>
/// Describes services, messages and enums for people to read, each by its full name. The text is almost a .proto, but cannot be compiled.
/// </summary>
public static class Description
{
    /// <summary>
    /// Describes a service, message or enum and everything that it refers to, except for the well-known types.
    /// </summary>
    /// <exception cref="SchemaException">Nothing has this name. Similar names are listed.</exception>
    public static string Make(MethodTypes types, string symbol)
    {
        var start = types.Symbol(symbol);
        List<IDescriptor> reached = [start];
        var seen = new HashSet<string>(StringComparer.Ordinal) { start.FullName };
        for (var i = 0; i < reached.Count; i++)
        {
            reached.AddRange(Uses(reached[i])
                .Where(used => !DescriptorFiles.WellKnown.ContainsKey(used.File.Name) && seen.Add(used.FullName)));
        }
        return string.Join('\n', reached.Select(Text));
    }

    private static IEnumerable<IDescriptor> Uses(IDescriptor descriptor) => descriptor switch
    {
        ServiceDescriptor service => service.Methods.SelectMany(method => new[] { method.InputType, method.OutputType }),
        MessageDescriptor message => message.Fields.InDeclarationOrder()
            .SelectMany(field => field.IsMap ? Uses(field.MessageType) : Used(field)),
        _ => [],
    };

    private static IEnumerable<IDescriptor> Used(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Message or FieldType.Group => [field.MessageType],
        FieldType.Enum => [field.EnumType],
        _ => [],
    };

    private static string Text(IDescriptor descriptor) => descriptor switch
    {
        ServiceDescriptor service => Block("service", service, service.Methods.Select(Method)),
        MessageDescriptor message => Block("message", message, message.Fields.InDeclarationOrder().Select(Field)),
        EnumDescriptor type => Block("enum", type, type.Values.Select(value => $"{value.Name} = {value.Number};")),
        _ => "",
    };

    private static string Block(string kind, IDescriptor descriptor, IEnumerable<string> lines) =>
        $"{kind} {descriptor.FullName} {{\n{string.Concat(lines.Select(line => $"  {line}\n"))}}}\n";

    private static string Method(MethodDescriptor method) =>
        $"rpc {method.Name}({(method.IsClientStreaming ? "stream " : "")}{method.InputType.FullName}) "
            + $"returns ({(method.IsServerStreaming ? "stream " : "")}{method.OutputType.FullName});";

    private static string Field(FieldDescriptor field)
    {
        var label = field switch
        {
            { IsMap: true } => "",
            { IsRepeated: true } => "repeated ",
            { IsRequired: true } => "required ",
            { HasPresence: true, RealContainingOneof: null, FieldType: not FieldType.Message } => "optional ",
            _ => "",
        };
        var oneof = field.RealContainingOneof is { } choice ? $" // one of {choice.Name}" : "";
        return $"{label}{TypeOf(field)} {field.Name} = {field.FieldNumber};{oneof}";
    }

    private static string TypeOf(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Message when field.IsMap =>
            $"map<{TypeOf(field.MessageType.FindFieldByNumber(1))}, {TypeOf(field.MessageType.FindFieldByNumber(2))}>",
        FieldType.Message or FieldType.Group => field.MessageType.FullName,
        FieldType.Enum => field.EnumType.FullName,
        var scalar => scalar.ToString().ToLowerInvariant(),
    };
}
