namespace IpcBench.Host;

/// <summary>
/// The small text files in which a system describes itself (/proc, /sys), so that readers can be tested on captured ones.
/// </summary>
internal interface ISystemFiles
{
    /// <summary>The text without surrounding white space; empty when there is no such file or it may not be read.</summary>
    string Read(string path);

    bool Exists(string path);
}

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
