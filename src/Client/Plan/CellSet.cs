namespace IpcBench.Client.Plan;

/// <summary>The sizes and clients that a plan combines with one number of connections and streams.</summary>
/// <param name="Sizes">Reply sizes in bytes.</param>
/// <param name="Clients">Client implementations. Each is an arm.</param>
/// <param name="HasPipe">False to leave out the named pipe.</param>
internal sealed record CellSet(
    Topology Topology, IReadOnlyList<long> Sizes, IReadOnlyList<string> Clients, bool HasPipe = true);
