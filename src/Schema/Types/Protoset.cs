using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace IpcBench.Schema.Types;

/// <summary>A file that holds a FileDescriptorSet, as <c>protoc --include_imports -o</c> and <c>buf build -o</c> write it.</summary>
public static class Protoset
{
    // A set of thousands of files is a few MB; this keeps a wrong file from filling the memory.
    private const long MostBytes = 256L << 20;

    /// <exception cref="InputException">The file cannot be read, is no FileDescriptorSet, or lacks a file that another imports.</exception>
    public static MethodTypes Read(string path)
    {
        byte[] bytes;
        try
        {
            var length = new FileInfo(path).Length;
            if (length > MostBytes)
                throw new InputException($"{path} has {length} bytes, too many for a protoset (at most {MostBytes >> 20} MiB)");
            bytes = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new InputException($"there is no file {path}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InputException($"cannot read the protoset {path}: {e.Message.TrimEnd('.')}", e);
        }
        return Parse(bytes, path);
    }

    /// <summary>The same from memory; <paramref name="source"/> names it in messages.</summary>
    public static MethodTypes Parse(byte[] bytes, string source)
    {
        try
        {
            return MethodTypes.Of(FileDescriptorSet.Parser.ParseFrom(bytes).File, source);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new InputException(
                $"{source} is no FileDescriptorSet: protoc --include_imports -o types.pb app.proto writes one", e);
        }
    }
}
