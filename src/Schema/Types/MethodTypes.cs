using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Types;

/// <summary>The services, messages and enums of a set of linked descriptor files, by full name.</summary>
public sealed class MethodTypes
{
    private readonly string source;
    private readonly Dictionary<string, ServiceDescriptor> services = new(StringComparer.Ordinal);
    private readonly Dictionary<string, MessageDescriptor> messages = new(StringComparer.Ordinal);
    private readonly Dictionary<string, EnumDescriptor> enums = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Message, string Name), FieldDescriptor> extensions = [];

    private MethodTypes(IReadOnlyList<FileDescriptorProto> files, string source)
    {
        this.source = source;
        Files = DescriptorFiles.Link(files, source);
        foreach (var file in Files.Concat(DescriptorFiles.WellKnown.Values))
            Add(file);
    }

    /// <summary>The files, each after the files that it imports.</summary>
    public IReadOnlyList<FileDescriptor> Files { get; }

    /// <summary>The services, by name.</summary>
    public IReadOnlyList<ServiceDescriptor> Services => [.. services.Values.OrderBy(service => service.FullName, StringComparer.Ordinal)];

    /// <summary>
    /// Links files in any order. Well-known files (<c>google/protobuf/…</c>) may be missing. Error messages call the
    /// origin of the files <paramref name="source"/>, such as <c>greeter.pb</c>.
    /// </summary>
    /// <exception cref="InputException">A file is missing, has an unknown edition, or is inconsistent.</exception>
    public static MethodTypes From(IEnumerable<FileDescriptorProto> files, string source) => new([.. files], source);

    /// <summary>Finds a method by its name, in each form that <see cref="MethodName"/> splits.</summary>
    /// <exception cref="InputException">The name has none of these forms.</exception>
    /// <exception cref="SchemaException">The service or method is unknown. Similar names are listed.</exception>
    public MethodDescriptor Method(string name)
    {
        var (serviceName, methodName) = MethodName.Split(name);
        if (!this.services.TryGetValue(serviceName, out var service))
        {
            var services = this.services.Keys.Order(StringComparer.Ordinal);
            throw new SchemaException($"{this.source} has no service {serviceName}{Nearest.Hint(serviceName, services)}");
        }
        var methods = service.Methods.Select(method => method.Name);
        return service.FindMethodByName(methodName)
            ?? throw new SchemaException($"{serviceName} has no method {methodName}{Nearest.Hint(methodName, methods)}");
    }

    /// <summary>Finds a service, message or enum by its full name.</summary>
    /// <exception cref="SchemaException">The name is unknown. Similar names are listed.</exception>
    public IDescriptor Symbol(string name)
    {
        if (this.services.TryGetValue(name, out var service))
            return service;
        if (Message(name) is { } message)
            return message;
        if (enums.TryGetValue(name, out var type))
            return type;
        var own = this.services.Keys.Concat(messages.Keys).Concat(enums.Keys)
            .Where(known => !known.StartsWith("google.protobuf.", StringComparison.Ordinal));
        throw new SchemaException($"{this.source} has no service or type {name}{Nearest.Hint(name, own)}");
    }

    /// <summary>Finds a message by its full name, well-known messages included. Null when the name is unknown.</summary>
    public MessageDescriptor? Message(string fullName) => messages.GetValueOrDefault(fullName);

    /// <summary>Finds an extension of <paramref name="message"/> by its full name. Null when the name is unknown.</summary>
    public FieldDescriptor? Extension(MessageDescriptor message, string fullName) =>
        this.extensions.GetValueOrDefault((message.FullName, fullName));

    internal IEnumerable<FieldDescriptor> Extensions(MessageDescriptor message) =>
        this.extensions.Values.Where(extension => extension.ExtendeeType.FullName == message.FullName);

    private void Add(FileDescriptor file)
    {
        foreach (var service in file.Services)
            this.services.TryAdd(service.FullName, service);
        foreach (var type in file.EnumTypes)
            enums.TryAdd(type.FullName, type);
        Add(file.Extensions);
        var unread = new Queue<MessageDescriptor>(file.MessageTypes);
        while (unread.TryDequeue(out var message))
        {
            messages.TryAdd(message.FullName, message);
            foreach (var type in message.EnumTypes)
                enums.TryAdd(type.FullName, type);
            Add(message.Extensions);
            foreach (var nested in message.NestedTypes)
                unread.Enqueue(nested);
            if (message.Fields.InDeclarationOrder().FirstOrDefault(field => field.IsMap && !IsMapEntry(field.MessageType)) is { } odd)
                throw new InputException(
                    $"the descriptors of {this.source} are inconsistent: {odd.FullName} is a map without key and value");
        }
    }

    private void Add(ExtensionCollection extensions)
    {
        foreach (var extension in extensions.UnorderedExtensions)
            this.extensions.TryAdd((extension.ExtendeeType.FullName, extension.FullName), extension);
    }

    private static bool IsMapEntry(MessageDescriptor entry) =>
        entry.FindFieldByNumber(1) is { IsRepeated: false } key
        && key.FieldType is not (FieldType.Message or FieldType.Double or FieldType.Float or FieldType.Bytes or FieldType.Enum)
        && entry.FindFieldByNumber(2) is { IsRepeated: false };
}
