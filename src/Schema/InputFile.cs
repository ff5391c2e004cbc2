namespace IpcBench.Schema;

/// <summary>Reads an input that has a name: a file, or a device or pipe that may never end.</summary>
internal static class InputFile
{
    /// <summary>Reads all bytes. Opening a named pipe waits for its writer.</summary>
    /// <param name="name">The input's name in messages. For a file this is its path.</param>
    /// <param name="purpose">
    /// The use of the bytes, for the error message <c>… too many for a corpus in memory</c>.
    /// </param>
    /// <exception cref="InputException">
    /// The input does not exist, cannot be read, or is larger than the limit.
    /// </exception>
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
