using IpcBench.Client.Engine;

namespace IpcBench.Client.Dialing;

/// <summary>Opens links to one address.</summary>
internal interface ILinkOpener
{
    long Retries { get; }

    /// <summary>Opens a link where the lane's completions run; nothing is delivered before <see cref="Link.Start"/>.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    ValueTask<Link> OpenAsync(Lane lane, ILinkOwner owner, CancellationToken cancellation);
}
