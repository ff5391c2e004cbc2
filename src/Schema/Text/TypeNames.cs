using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Text;

/// <summary>Which names exist, so that a type can be called by the shortest name that protoc still finds.</summary>
internal sealed class TypeNames
{
    private readonly HashSet<string> known = new(StringComparer.Ordinal);

    public TypeNames(IEnumerable<FileDescriptorProto> files)
    {
        foreach (var file in files)
        {
            for (var dot = file.Package.Length; dot > 0; dot = file.Package.LastIndexOf('.', dot - 1))
                known.Add(file.Package[..dot]);
            foreach (var name in file.EnumType.Select(type => type.Name).Concat(file.Service.Select(service => service.Name)))
                known.Add(Join(file.Package, name));
            foreach (var message in file.MessageType)
                Add(message, file.Package);
        }
    }

    /// <summary>The full name with its leading dot, as protoc writes it; protobuf.js leaves names as they stand in the text.</summary>
    /// <param name="type">As a descriptor has it.</param>
    /// <param name="scope">The message or package it is used in.</param>
    public string Full(string type, string scope) => type.StartsWith('.') ? type : $".{Means(type, scope) ?? type}";

    /// <param name="type">As a descriptor has it.</param>
    /// <param name="scope">The message or package it is used in.</param>
    public string Shortest(string type, string scope)
    {
        var full = Full(type, scope)[1..];
        for (var dot = full.LastIndexOf('.'); dot >= 0; dot = dot == 0 ? -1 : full.LastIndexOf('.', dot - 1))
        {
            if (Means(full[(dot + 1)..], scope) == full)
                return full[(dot + 1)..];
        }
        return Means(full, scope) == full ? full : $".{full}";
    }

    // protoc takes the innermost scope that knows the first part of a name, and does not look further out.
    private string? Means(string name, string scope)
    {
        var first = name.Split('.')[0];
        while (!known.Contains(Join(scope, first)))
        {
            if (scope.Length == 0)
                return null;
            scope = scope.Contains('.') ? scope[..scope.LastIndexOf('.')] : "";
        }
        return Join(scope, name);
    }

    private void Add(DescriptorProto message, string scope)
    {
        var name = Join(scope, message.Name);
        known.Add(name);
        foreach (var type in message.EnumType)
            known.Add(Join(name, type.Name));
        foreach (var nested in message.NestedType)
            Add(nested, name);
    }

    private static string Join(string scope, string name) => scope.Length == 0 ? name : $"{scope}.{name}";
}
