namespace IpcBench.Analysis.Results;

/// <summary>What a server reports about itself (<c>Control.Describe</c>).</summary>
public sealed record ServerInfo
{
    /// <summary>Addresses of this run that the server serves.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    public string Stack { get; init; } = "";
    public string StackVersion { get; init; } = "";
    public string Version { get; init; } = "";
    public string Runtime { get; init; } = "";
    public string Os { get; init; } = "";
    public string GcMode { get; init; } = "";
    public int Processors { get; init; }

    /// <summary>Settings and limits of the server, as text.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}
