namespace IpcBench.Host;

/// <summary>The small text files in which Linux describes itself (/proc, /sys); tests replace them by captured files.</summary>
internal interface ISystemFiles
{
    /// <summary>The text without surrounding white space; empty when the file does not exist or may not be read.</summary>
    string Read(string path);

    bool Exists(string path);
}

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
