
namespace IpcBench.Host.Tests;

/// <summary>Files of some other machine, as texts.</summary>
internal sealed class CapturedFiles(params (string Path, string Text)[] files) : ISystemFiles
{
    private readonly Dictionary<string, string> files = files.ToDictionary(file => file.Path, file => file.Text);

    public string Read(string path) => this.files.TryGetValue(path, out var text) ? text.Trim() : "";

    public bool Exists(string path) => this.files.ContainsKey(path);
}
