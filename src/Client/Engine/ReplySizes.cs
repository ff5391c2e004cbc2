namespace IpcBench.Client.Engine;

/// <summary>Payload bytes of replies: their sum, and the smallest and largest reply.</summary>
/// <param name="Bytes">The sum over all replies.</param>
/// <param name="Smallest">Bytes of the smallest reply. Meaningless without replies.</param>
/// <param name="Largest">Bytes of the largest reply. Meaningless without replies.</param>
internal record struct ReplySizes(long Bytes, long Smallest, long Largest)
{
    public static ReplySizes None => new(0, long.MaxValue, 0);

    public void Add(long bytes)
    {
        Bytes += bytes;
        Smallest = Math.Min(Smallest, bytes);
        Largest = Math.Max(Largest, bytes);
    }

    public static ReplySizes operator +(ReplySizes one, ReplySizes other) =>
        new(one.Bytes + other.Bytes, Math.Min(one.Smallest, other.Smallest), Math.Max(one.Largest, other.Largest));
}
