namespace IpcBench.Client.Dialing;

/// <summary>Who hears what a <see cref="Link"/> receives. Never two at a time.</summary>
internal interface ILinkOwner
{
    /// <summary>Bytes have arrived; they are gone when this returns.</summary>
    void OnBytes(Link link, ReadOnlySpan<byte> bytes);

    /// <summary>There is room again to <see cref="Link.Flush"/>.</summary>
    void OnRoom(Link link);

    /// <summary>The other side or the system has ended it.</summary>
    /// <param name="link">Which one.</param>
    /// <param name="fault">What broke it; null when the other side closed it in good order.</param>
    void OnEnd(Link link, string? fault);
}
