using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>What arms must have in common to be compared: method, size, connections, streams, load and work of the server.</summary>
public sealed record Workload(long Size, int Connections, int Streams, string Load, string Method = "", string ServerWork = "")
{
    /// <inheritdoc cref="CellKey.IsFullLoad"/>
    public bool IsFullLoad => Load == CellKey.FullLoad;

    public static Workload From(CellKey key) => new(key.Size, key.Connections, key.Streams, key.Load, key.Method, key.ServerWork);

    /// <inheritdoc cref="CellKey.Work"/>
    public string Work => CellKey.WorkOf(Method, Size, ServerWork);
}
