using System.Buffers;
using System.Text;

namespace IpcBench.Host;

internal sealed class SystemFiles : ISystemFiles
{
    // Hundreds of files in /proc and /sys are read before and after each measurement. File.ReadAllText would make 25 kB
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
