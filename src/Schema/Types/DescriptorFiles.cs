using System.Text.RegularExpressions;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Google.Protobuf.WellKnownTypes;

namespace IpcBench.Schema.Types;

/// <summary>Links descriptor files in any order, and adds well-known files that are missing.</summary>
internal static partial class DescriptorFiles
{
    // No real set has so many files. The limit bounds the cost of a hostile set.
    public const int MostFiles = 10_000;

    public static readonly IReadOnlyDictionary<string, FileDescriptor> WellKnown = new[]
    {
        AnyReflection.Descriptor, ApiReflection.Descriptor, DescriptorReflection.Descriptor, DurationReflection.Descriptor,
        EmptyReflection.Descriptor, FieldMaskReflection.Descriptor, SourceContextReflection.Descriptor, StructReflection.Descriptor,
        TimestampReflection.Descriptor, TypeReflection.Descriptor, WrappersReflection.Descriptor,
    }.ToDictionary(file => file.Name, StringComparer.Ordinal);

    /// <exception cref="InputException">A file is missing, imports itself, has an unknown edition, or is inconsistent.</exception>
    public static IReadOnlyList<FileDescriptor> Link(IEnumerable<FileDescriptorProto> files, string source)
    {
        try
        {
            List<FileDescriptorProto> all = [.. files];
            // The name is shown in a terminal, which would obey control characters.
            if (all.Exists(file => file.Name.Any(char.IsControl)))
                throw new InputException($"a file of {source} has a name with control characters");
            if (all.Find(file => file.Syntax is not ("" or "proto2" or "proto3" or "editions")) is { } odd)
                throw new InputException(
                    $"{odd.Name} of {source} has the unknown syntax '{odd.Syntax}': proto2, proto3 and editions are known");
            var ordered = InOrder(Complete(all, source), source);
            if (all.Find(file => !DottedName().IsMatch(file.Package)) is not null)
                throw new InputException($"a file of {source} has a package with an invalid name: a valid name is shop.v1");
            return FileDescriptor.BuildFromByteStrings(ordered.Select(file => file.ToByteString()));
        }
        // Google.Protobuf checks names and references while it links. But it does not check everything that a hostile
        // file can contain, so other exceptions are possible.
        catch (Exception e) when (e is ArgumentException or DescriptorValidationException or InvalidProtocolBufferException
            or NullReferenceException or InvalidOperationException or IndexOutOfRangeException or KeyNotFoundException)
        {
            throw new InputException($"the descriptors of {source} are inconsistent: {e.Message.TrimEnd('.')}", e);
        }
    }

    // Google.Protobuf checks the names of symbols, but not the names of packages.
    [GeneratedRegex(@"^(?:[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)?\z", RegexOptions.CultureInvariant)]
    private static partial Regex DottedName();

    private static Dictionary<string, FileDescriptorProto> Complete(IEnumerable<FileDescriptorProto> files, string source)
    {
        var known = new Dictionary<string, FileDescriptorProto>(StringComparer.Ordinal);
        foreach (var file in MissingImports.Add([.. files], WellKnown.Values))
            known.TryAdd(file.Name, file);
        if (known.Count == 0)
            throw new InputException($"{source} holds no descriptors");
        if (known.Count > MostFiles)
            throw new InputException($"{source} holds {known.Count} files, but at most {MostFiles} are allowed");
        var unread = new Queue<FileDescriptorProto>(known.Values);
        while (unread.TryDequeue(out var file))
        {
            foreach (var name in file.Dependency.Where(name => !known.ContainsKey(name)))
            {
                if (!WellKnown.TryGetValue(name, out var supplied))
                    throw new InputException($"{source} lacks {name}, which {file.Name} imports: write the set with --include_imports");
                known.Add(name, supplied.ToProto());
                unread.Enqueue(known[name]);
            }
        }
        return known;
    }

    // Puts each file after the files that it imports (Kahn's algorithm), as Google.Protobuf requires. There is no recursion, so
    // a long chain of imports cannot overflow the stack.
    private static List<FileDescriptorProto> InOrder(Dictionary<string, FileDescriptorProto> known, string source)
    {
        var imports = known.Values.SelectMany(file => file.Dependency.Distinct(), (file, import) => (file, import));
        var importers = imports.ToLookup(pair => pair.import, pair => pair.file);
        var waiting = known.Values.ToDictionary(file => file.Name, file => file.Dependency.Distinct().Count(), StringComparer.Ordinal);
        var ready = new Queue<FileDescriptorProto>(known.Values.Where(file => file.Dependency.Count == 0));
        var ordered = new List<FileDescriptorProto>(known.Count);
        while (ready.TryDequeue(out var file))
        {
            ordered.Add(file);
            foreach (var importer in importers[file.Name])
            {
                if (--waiting[importer.Name] == 0)
                    ready.Enqueue(importer);
            }
        }
        if (ordered.Count == known.Count)
            return ordered;
        var circle = known.Keys.Except(ordered.Select(file => file.Name)).Order(StringComparer.Ordinal).Take(3);
        throw new InputException(
            $"{source} has files that import each other ({string.Join(", ", circle)}), which no .proto may do: "
                + "give the types with --proto, or with a --protoset that protoc wrote");
    }
}
