using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Types;

/// <summary>A file with a FileDescriptorSet, as <c>protoc --include_imports -o</c> and <c>buf build -o</c> write it.</summary>
public static class Protoset
{
    // A set of thousands of files has a few MB. The limit keeps a wrong file from filling the memory.
    private const long MostBytes = 256L << 20;

    /// <exception cref="InputException">The file cannot be read, is no FileDescriptorSet, or lacks an imported file.</exception>
    public static MethodTypes Read(string path) =>
        Parse(InputFile.Read(path, () => File.OpenRead(path), MostBytes, "a protoset"), path);

    /// <summary>Reads the bytes of a set. Error messages call the set <paramref name="source"/>.</summary>
    public static MethodTypes Parse(byte[] bytes, string source)
    {
        try
        {
            return MethodTypes.From(FileDescriptorSet.Parser.ParseFrom(bytes).File, source);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new InputException(Nesting.IsTooDeep(e) ? $"{source} {Nesting.Sentence}"
                : $"{source} is not a FileDescriptorSet: make one with protoc --include_imports -o types.pb app.proto", e);
        }
    }
}
