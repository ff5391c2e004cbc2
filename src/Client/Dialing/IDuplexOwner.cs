namespace IpcBench.Client.Dialing;

/// <summary>The owner of a <see cref="Duplex"/>. Several threads may call its methods at the same time, except on an event loop.</summary>
internal interface IDuplexOwner
{
    /// <summary>Called when bytes have arrived. <paramref name="bytes"/> is valid until this method returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>Called when the duplex has room for more bytes, so that <see cref="Duplex.Flush"/> can be called again.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>Called when the other side or the system has ended the duplex.</summary>
    /// <param name="fault">The error that broke the duplex. Null when the other side closed it in an orderly way.</param>
    void OnEnd(Duplex duplex, string? fault);
}
