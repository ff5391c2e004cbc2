namespace IpcBench.Client.Plan;

/// <summary>The number of connections, and the number of streams (concurrent calls) of each connection.</summary>
internal sealed record Topology(int Connections, int Streams)
{
    /// <summary>Returns all combinations of connections and streams. Combinations with equal streams are consecutive.</summary>
    public static IReadOnlyList<Topology> All(IReadOnlyList<int> connections, IReadOnlyList<int> streams) =>
        [.. from m in streams from c in connections select new Topology(c, m)];
}
