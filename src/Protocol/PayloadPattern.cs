namespace IpcBench.Protocol;

/// <summary>The content of payloads. One block is repeated, from the first byte of each payload.</summary>
public static class PayloadPattern
{
    private static readonly byte[] Shared = Make();

    public static int BlockBytes => Shared.Length;

    public static ReadOnlySpan<byte> Block => Shared;

    public static void Fill(Span<byte> payload)
    {
        for (; payload.Length > Shared.Length; payload = payload[Shared.Length..])
            Shared.CopyTo(payload);
        Shared.AsSpan(0, payload.Length).CopyTo(payload);
    }

    // The bytes are random, so that a payload that was joined at the wrong place is detected. The seed is fixed, so that
    // all runs have the same payload.
    private static byte[] Make()
    {
        const int blockBytes = 64 << 10, seed = 20;
        var block = new byte[blockBytes];
        new Random(seed).NextBytes(block);
        return block;
    }
}
