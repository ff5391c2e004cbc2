using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Types;

/// <summary>
/// Adds imports to files that use types of other files but import nothing. protobuf.js, and so every grpc-js server with
/// <c>@grpc/reflection</c>, writes one such file per package.
/// </summary>
internal static class MissingImports
{
    /// <summary>
    /// Returns <paramref name="files"/> with the imports that were missing. An added import names one of
    /// <paramref name="files"/> or of <paramref name="supplied"/>.
    /// </summary>
    public static IEnumerable<FileDescriptorProto> Add(IReadOnlyList<FileDescriptorProto> files, IEnumerable<FileDescriptor> supplied)
    {
        var places = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in files.Concat(supplied.Select(file => file.ToProto())))
        {
            foreach (var symbol in Declared(file.Package, file.MessageType, file.EnumType))
                places.TryAdd(symbol, file.Name);
        }
        return files.Select(file => file.Dependency.Count == 0 ? WithImports(file, places) : file);
    }

    private static FileDescriptorProto WithImports(FileDescriptorProto file, Dictionary<string, string> places)
    {
        var used = file.Extension.SelectMany(Used).Concat(file.MessageType.SelectMany(Used))
            .Concat(file.Service.SelectMany(service => service.Method).SelectMany(method => new[] { method.InputType, method.OutputType }));
        var imports = used.Select(name => Place(name, file.Package, places)).OfType<string>().Distinct().ToList();
        imports.Remove(file.Name);
        if (imports.Count == 0)
            return file;
        var mended = file.Clone();
        mended.Dependency.Add(imports);
        return mended;
    }

    // Searches from the innermost scope outwards, as protobuf resolves names. A name with a leading dot is a full name.
    private static string? Place(string name, string scope, Dictionary<string, string> places)
    {
        if (name.StartsWith('.'))
            return places.GetValueOrDefault(name[1..]);
        while (scope.Length > 0)
        {
            if (places.TryGetValue($"{scope}.{name}", out var place))
                return place;
            scope = scope[..Math.Max(scope.LastIndexOf('.'), 0)];
        }
        return places.GetValueOrDefault(name);
    }

    private static IEnumerable<string> Declared(string scope, IEnumerable<DescriptorProto> messages, IEnumerable<EnumDescriptorProto> enums)
    {
        var prefix = scope.Length == 0 ? "" : scope + ".";
        return enums.Select(type => prefix + type.Name)
            .Concat(messages.SelectMany(message =>
                Declared(prefix + message.Name, message.NestedType, message.EnumType).Prepend(prefix + message.Name)));
    }

    private static IEnumerable<string> Used(DescriptorProto message) =>
        message.Field.Concat(message.Extension).SelectMany(Used).Concat(message.NestedType.SelectMany(Used));

    private static IEnumerable<string> Used(FieldDescriptorProto field) =>
        new[] { field.TypeName, field.Extendee }.Where(name => name.Length > 0);
}
