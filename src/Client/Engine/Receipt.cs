namespace IpcBench.Client.Engine;

/// <summary>When the messages of a stream arrived, or were written if the server reports no arrivals (this process's clock).</summary>
/// <param name="Slots">The number of whole messages that arrived in each slot.</param>
/// <param name="Latency">
/// Each latency and the number of messages with this latency. Counts only messages that carry their due time. Empty when the
/// receiver has another clock.
/// </param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);
