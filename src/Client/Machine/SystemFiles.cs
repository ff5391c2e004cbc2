namespace IpcBench.Client.Machine;

/// <summary>This machine's own files.</summary>
internal sealed class SystemFiles : ISystemFiles
{
    public string Read(string path)
    {
        try
        {
            return File.ReadAllText(path).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return "";
        }
    }

    public bool Exists(string path) => File.Exists(path);
}
