namespace IpcBench.Server.Services;

/// <summary>What payloads are made of: one block, repeated from a payload's first byte on.</summary>
internal static class PayloadPattern
{
    private static readonly byte[] Shared = Make();

    /// <summary>Bytes of the block.</summary>
    public static int BlockBytes => Shared.Length;

    public static ReadOnlySpan<byte> Block => Shared;

    /// <summary>Fills a payload.</summary>
    public static void Fill(Span<byte> payload)
    {
        for (; payload.Length > Shared.Length; payload = payload[Shared.Length..])
            Shared.CopyTo(payload);
        Shared.AsSpan(0, payload.Length).CopyTo(payload);
    }

    // Bytes that differ, so that a payload cut and glued at the wrong place can be told from a right one; fixed, so that runs are alike.
    private static byte[] Make()
    {
        const int blockBytes = 64 << 10, seed = 20;
        var block = new byte[blockBytes];
        new Random(seed).NextBytes(block);
        return block;
    }
}
