namespace IpcBench.Schema;

/// <summary>What was named to be read: a file, a device or a pipe, which may have no end.</summary>
internal static class InputFile
{
    /// <summary>All its bytes. Opening a pipe waits for somebody to write to it.</summary>
    /// <param name="name">What messages call it; the path of a file.</param>
    /// <param name="open">Begins to read it.</param>
    /// <param name="mostBytes">How many it may have.</param>
    /// <param name="purpose">What more would be too many for.</param>
    /// <exception cref="InputException">It is not there, cannot be read, or has more bytes.</exception>
    public static byte[] Read(string name, Func<Stream> open, long mostBytes, string purpose)
    {
        try
        {
            using var stream = open();
            using var read = new MemoryStream();
            var block = new byte[64 << 10];
            int count;
            while ((count = stream.Read(block)) > 0)
            {
                if (read.Length + count > mostBytes)
                    throw new InputException($"{name} has more than {mostBytes} bytes, too many for {purpose}");
                read.Write(block, 0, count);
            }
            return read.ToArray();
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new InputException($"there is no file {name}", e);
        }
        catch (UnauthorizedAccessException e) when (Directory.Exists(name))
        {
            throw new InputException($"{name} is a folder, not a file", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InputException($"cannot read {name}: {e.Message.TrimEnd('.')}", e);
        }
    }
}
