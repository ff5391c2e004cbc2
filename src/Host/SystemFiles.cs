using System.Buffers;
using System.Text;

namespace IpcBench.Host;

/// <summary>The small text files in which Linux describes itself (/proc, /sys). Tests replace them by captured files.</summary>
internal interface ISystemFiles
{
    /// <summary>Reads the text without surrounding white space. Empty when the file does not exist or may not be read.</summary>
    string Read(string path);

    bool Exists(string path);
}

internal sealed class SystemFiles : ISystemFiles
{
    // Hundreds of these files are read before and after each measurement. File.ReadAllText would make 25 kB
    // of garbage for each file.
    public string Read(string path)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(4096);
        try
        {
            using var file = File.OpenHandle(path);
            var length = 0;
            while (RandomAccess.Read(file, buffer.AsSpan(length), length) is var read and > 0)
            {
                length += read;
                if (length == buffer.Length)
                    buffer = Grown(buffer);
            }
            return Encoding.UTF8.GetString(buffer.AsSpan(0, length)).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return "";
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static byte[] Grown(byte[] full)
    {
        var larger = ArrayPool<byte>.Shared.Rent(full.Length * 2);
        full.CopyTo(larger, 0);
        ArrayPool<byte>.Shared.Return(full);
        return larger;
    }

    public bool Exists(string path) => File.Exists(path);
}
