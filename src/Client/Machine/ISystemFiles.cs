namespace IpcBench.Client.Machine;

/// <summary>The small text files in which a system describes itself (/proc, /sys), so that readers can be tested on captured ones.</summary>
internal interface ISystemFiles
{
    /// <summary>The text without surrounding white space; empty when there is no such file or it may not be read.</summary>
    string Read(string path);

    bool Exists(string path);
}
