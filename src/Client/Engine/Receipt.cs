namespace IpcBench.Client.Engine;

/// <summary>The receiver's report about the messages of a stream. All times are in ns of the clock of this process.</summary>
/// <param name="Slots">The number of whole messages that arrived in each slot.</param>
/// <param name="Latency">
/// Each latency and the number of messages with this latency. Counts only messages that carry their due time. Empty when the
/// receiver has another clock.
/// </param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);
