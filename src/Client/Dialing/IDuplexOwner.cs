namespace IpcBench.Client.Dialing;

/// <summary>Who hears what a <see cref="Duplex"/> receives. Never two at a time.</summary>
internal interface IDuplexOwner
{
    /// <summary>Bytes have arrived; they are gone when this returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>There is room again to <see cref="Duplex.Flush"/>.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>The other side or the system has ended it.</summary>
    /// <param name="duplex">Which one.</param>
    /// <param name="fault">What broke it; null when the other side closed it in good order.</param>
    void OnEnd(Duplex duplex, string? fault);
}
