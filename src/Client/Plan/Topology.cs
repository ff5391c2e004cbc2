namespace IpcBench.Client.Plan;

/// <summary>How concurrent calls are spread: over connections, and over streams of each.</summary>
internal sealed record Topology(int Connections, int Streams)
{
    /// <summary>Every number of connections with every number of streams, connections varying faster.</summary>
    public static IReadOnlyList<Topology> All(IReadOnlyList<int> connections, IReadOnlyList<int> streams) =>
        [.. from m in streams from c in connections select new Topology(c, m)];
}
