using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Grpc;

/// <summary>Converts the times in servers' reports about received messages to the clock of this process.</summary>
internal static class Receipts
{
    // A report may have slots of this length, even if the stream was shorter than a slot.
    private const long ShortSlotNs = 100_000_000;

    /// <summary>Makes a receipt from the times at which messages were written, for a server that does not report arrivals.</summary>
    public static Receipt From(ArrivalLog written)
    {
        var told = written.Told()!;
        return new Receipt(told.BeginNs, told.SlotNs, told.Slots, []);
    }

    /// <summary>Makes a receipt from a server's report. Returns null when the report has no times or impossible times.</summary>
    /// <param name="said">The report at the end of a stream.</param>
    /// <param name="firstDueNs">When the first stamped message was due. 0 when no message has a stamp.</param>
    /// <param name="wrong">The kind of failure when the result is null.</param>
    public static Receipt? From(Received said, long beganNs, long firstDueNs, out string wrong)
    {
        wrong = "no times";
        if (said.Arrivals is not { SlotNs: > 0, Slots.Count: > 0 } told)
            return null;
        wrong = "impossible times";
        if (told.LatencyNs.Count != told.LatencyCount.Count
            || Sum(told.Slots) != said.Messages || Sum(told.LatencyCount) is var timed && (timed < 0 || timed > said.Messages))
            return null;
        // If the server uses the same clock as this process, its first slot begins between the opening of the stream
        // and now. Otherwise only the differences between the server's times can be used.
        var now = MonotonicClock.NowNs;
        var isOurs = told.BeginNs >= beganNs && told.BeginNs <= now;
        if (!IsWithin(told, now - (isOurs ? told.BeginNs : beganNs), now - beganNs))
            return null;
        if (isOurs && !told.LatencyNs.All(ns => ns > 0 && ns <= 1.01 * (now - (firstDueNs > 0 ? firstDueNs : beganNs))))
            return null;
        return new Receipt(
            isOurs ? told.BeginNs : beganNs,
            told.SlotNs,
            told.Slots,
            isOurs ? [.. told.LatencyNs.Zip(told.LatencyCount)] : []);
    }

    /// <summary>True when the report has no arrival after the end of the stream, and no slot that is too long for the stream.</summary>
    private static bool IsWithin(Arrivals told, long sinceBeginNs, long lifeNs)
    {
        if (told.SlotNs > Math.Max(ShortSlotNs, lifeNs))
            return false;
        for (var slot = told.Slots.Count - 1; slot > 0; slot--)
        {
            if (told.Slots[slot] > 0)
                return slot <= sinceBeginNs / told.SlotNs;
        }
        return true;
    }

    /// <summary>Adds the counts. Returns -1 when a count is negative.</summary>
    private static decimal Sum(IEnumerable<long> counts) =>
        counts.Any(count => count < 0) ? -1 : counts.Sum(count => (decimal)count);
}
