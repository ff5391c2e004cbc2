using System.Globalization;
using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Types;

/// <summary>
/// Adds the imports that files without any import lack. protobuf.js, and so every grpc-js server with
/// <c>@grpc/reflection</c>, writes one such file per package. Where packages use each other's types, the files would
/// import each other although their types form no circle: such files are split.
/// </summary>
internal static class MissingImports
{
    // Each message is compared with each other message, so the time grows with the square of their number.
    private const int MostMessages = 2_000;

    // No file's name contains this character.
    private const char PartMark = '\n';

    /// <summary>The same files, with the missing imports of each other or of <paramref name="supplied"/>.</summary>
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

    /// <summary>
    /// The same files, with files that neither import nor are imported split into parts. Types that refer to each other
    /// in a circle stay together; services form their own part.
    /// </summary>
    public static IEnumerable<FileDescriptorProto> Parts(IReadOnlyList<FileDescriptorProto> files)
    {
        var imported = files.SelectMany(file => file.Dependency).ToHashSet(StringComparer.Ordinal);
        return files.SelectMany(file =>
            file.Dependency.Count == 0 && !imported.Contains(file.Name) && file.MessageType.Count <= MostMessages ? PartsOf(file) : [file]);
    }

    /// <summary>The name of the original file of a part; for another file its name.</summary>
    public static string NameOf(string file) => file.Split(PartMark)[0];

    private static IEnumerable<FileDescriptorProto> PartsOf(FileDescriptorProto file)
    {
        var number = 0;
        FileDescriptorProto Part()
        {
            var name = FormattableString.Invariant($"{file.Name}{PartMark}{++number}");
            var part = new FileDescriptorProto { Name = name, Package = file.Package, Syntax = file.Syntax, Options = file.Options };
            if (file.HasEdition)
                part.Edition = file.Edition;
            return part;
        }
        foreach (var type in file.EnumType)
        {
            var part = Part();
            part.EnumType.Add(type);
            yield return part;
        }
        var places = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var (i, message) in file.MessageType.Index())
        {
            foreach (var symbol in Declared(file.Package, [message], []))
                places.TryAdd(symbol, i.ToString(CultureInfo.InvariantCulture));
        }
        var reached = file.MessageType.Select(message => Reached(message, file, places)).ToList();
        for (var i = 0; i < reached.Count; i++)
        {
            var circle = Enumerable.Range(0, reached.Count)
                .Where(j => j == i || (reached[i].Contains(j) && reached[j].Contains(i))).ToList();
            if (circle[0] < i)
                continue;
            var part = Part();
            part.MessageType.Add(circle.Select(j => file.MessageType[j]));
            yield return part;
        }
        var rest = Part();
        rest.Service.Add(file.Service);
        rest.Extension.Add(file.Extension);
        yield return rest;
    }

    /// <summary>The messages of the same file that a message uses, directly or through others.</summary>
    private static HashSet<int> Reached(DescriptorProto start, FileDescriptorProto file, Dictionary<string, string> places)
    {
        var reached = new HashSet<int>();
        var unread = new Queue<DescriptorProto>([start]);
        while (unread.TryDequeue(out var message))
        {
            foreach (var place in Used(message).Select(name => Place(name, file.Package, places)).OfType<string>())
            {
                if (int.Parse(place, CultureInfo.InvariantCulture) is var j && reached.Add(j))
                    unread.Enqueue(file.MessageType[j]);
            }
        }
        return reached;
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

    // From the innermost scope outwards, as the language resolves names; a name with a leading dot is full.
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
