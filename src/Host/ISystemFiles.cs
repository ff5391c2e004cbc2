namespace IpcBench.Host;

/// <summary>The small text files in which Linux describes itself (/proc, /sys). Tests replace them by captured files.</summary>
internal interface ISystemFiles
{
    /// <summary>Reads the text without surrounding white space. Empty when the file does not exist or may not be read.</summary>
    string Read(string path);

    bool Exists(string path);
}
