using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Text;

/// <summary>Services, messages and enums as .proto text.</summary>
public static class Description
{
    /// <summary>
    /// The definition of a service, message or enum with all definitions that it uses, file by file. Well-known types
    /// are named but not written.
    /// </summary>
    /// <exception cref="SchemaException">The name is unknown; similar names are listed.</exception>
    public static string Of(MethodTypes types, string symbol)
    {
        var reached = Reached(types.Symbol(symbol));
        var names = new TypeNames(types.Protos.Values);
        var sections = reached.GroupBy(descriptor => MissingImports.NameOf(descriptor.File.Name)).Select(file =>
        {
            var wanted = file.Select(descriptor => descriptor.Name).ToHashSet(StringComparer.Ordinal);
            return $"// {file.Key}\n{ProtoText.Write(types.Protos[file.Key], names, wanted.Contains)}";
        });
        return string.Join('\n', sections);
    }

    internal static string File(MethodTypes types, string name) => ProtoText.Write(types.Protos[name], new TypeNames(types.Protos.Values));

    // In the order of first use; a nested type is written with its outermost message.
    private static List<IDescriptor> Reached(IDescriptor start)
    {
        var reached = new List<IDescriptor>();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var unread = new Queue<IDescriptor>([start]);
        while (unread.TryDequeue(out var next))
        {
            var outermost = Outermost(next);
            var own = next == start || !DescriptorFiles.WellKnown.ContainsKey(next.File.Name);
            if (!own || !seen.Add(outermost.FullName))
                continue;
            reached.Add(outermost);
            foreach (var used in Uses(outermost))
                unread.Enqueue(used);
        }
        return reached;
    }

    private static IDescriptor Outermost(IDescriptor descriptor)
    {
        var containing = descriptor switch
        {
            MessageDescriptor message => message.ContainingType,
            EnumDescriptor type => type.ContainingType,
            _ => null,
        };
        return containing is null ? descriptor : Outermost(containing);
    }

    private static IEnumerable<IDescriptor> Uses(IDescriptor descriptor) => descriptor switch
    {
        ServiceDescriptor service => service.Methods.SelectMany(method => new[] { method.InputType, method.OutputType }),
        MessageDescriptor message => message.Fields.InDeclarationOrder().Select(Used).OfType<IDescriptor>()
            .Concat(message.NestedTypes.SelectMany(Uses)),
        _ => [],
    };

    private static IDescriptor? Used(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Message => field.MessageType,
        FieldType.Enum => field.EnumType,
        _ => null,
    };
}
