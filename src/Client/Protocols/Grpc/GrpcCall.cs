using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Grpc;

/// <summary>A method that is called in place of this tool's own: what is sent, encoded, and what a reply must be.</summary>
internal sealed record GrpcCall
{
    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>It takes a stream of messages; else one.</summary>
    public bool TakesStream { get; init; }

    /// <summary>It returns a stream of messages; else one.</summary>
    public bool ReturnsStream { get; init; }

    /// <summary>Requests without their prefix, taken in turn on each connection; at least one.</summary>
    public required IReadOnlyList<byte[]> Messages { get; init; }

    /// <summary>What tells this set of messages from others: hexadecimal digits.</summary>
    public required string Corpus { get; init; }

    /// <summary>Fields sent with every call; their values are nobody's business but the server's.</summary>
    public IReadOnlyList<(string Name, string Value)> Metadata { get; init; } = [];

    /// <summary>The server's name in the requests; null: as its address has it.</summary>
    public string? Authority { get; init; }

    /// <summary>Sent as <c>grpc-timeout</c>; what comes later is DEADLINE_EXCEEDED. Null: none.</summary>
    public TimeSpan? Deadline { get; init; }

    /// <summary>Says what is wrong with a message; null: replies are not looked at.</summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>What a request path is: <c>/package.Service/Method</c>.</summary>
    public string Path => "/" + Method;

    /// <summary>Mean bytes of a request, rounded; of a single one its bytes.</summary>
    public long Size => (long)Math.Round(Messages.Average(message => message.Length));

    /// <summary>The fields as they are sent.</summary>
    public IEnumerable<(string Name, string Value)> Fields =>
        Deadline is { } deadline ? Metadata.Prepend(("grpc-timeout", Timeout(deadline))) : Metadata;

    /// <summary>Texts that a server may repeat and that no file may hold: the values, and the words of those that have several.</summary>
    public IReadOnlyList<string> Secrets => ServerWords.Secrets(Metadata.Select(entry => entry.Value));

    // At most eight digits and a unit (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): µs while they fit, else ms.
    private static string Timeout(TimeSpan deadline) => deadline.TotalMicroseconds < 1e8
        ? FormattableString.Invariant($"{Math.Max(1, deadline.TotalMicroseconds):0}u")
        : FormattableString.Invariant($"{deadline.TotalMilliseconds:0}m");
}

/// <summary>What servers say of the messages that they have received, read in terms of our own clock.</summary>
internal static class Receipts
{
    // A slot may be so long whatever the stream's life.
    private const long ShortSlotNs = 100_000_000;

    /// <summary>Where nobody says when messages came: when they were written.</summary>
    public static Receipt Of(ArrivalLog written)
    {
        var told = written.Told()!;
        return new Receipt(told.BeginNs, told.SlotNs, told.Slots, []);
    }

    /// <summary>Null: the server does not say when messages came, or says what cannot be.</summary>
    /// <param name="said">At the end of a stream.</param>
    /// <param name="beganNs">When the stream was opened.</param>
    /// <param name="firstDueNs">When the earliest of its messages was due that has a stamp; 0: none has one.</param>
    /// <param name="wrong">How that is counted.</param>
    public static Receipt? Of(Received said, long beganNs, long firstDueNs, out string wrong)
    {
        wrong = "no times";
        if (said.Arrivals is not { SlotNs: > 0, Slots.Count: > 0 } told || told.LatencyNs.Count != told.LatencyCount.Count
            || Sum(told.Slots) != said.Messages || Sum(told.LatencyCount) is var timed && (timed < 0 || timed > said.Messages))
            return null;
        // One clock: what began came between the opening and now. Of another clock nothing but the distances is known.
        var now = MonotonicClock.NowNs;
        var isOurs = told.BeginNs >= beganNs && told.BeginNs <= now;
        wrong = "impossible times";
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

    /// <summary>No message came after the end of the stream.</summary>
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

    /// <summary>-1: one of them is negative, or they are more than there can be.</summary>
    private static long Sum(IEnumerable<long> counts)
    {
        var sum = 0L;
        foreach (var count in counts)
        {
            if (count < 0 || count > long.MaxValue - sum)
                return -1;
            sum += count;
        }
        return sum;
    }
}
