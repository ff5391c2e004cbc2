using IpcBench.Client.Engine;

namespace IpcBench.Client.Dialing;

/// <summary>Opens links to one address.</summary>
internal interface ILinkOpener
{
    long Retries { get; }

    /// <summary>Opens a duplex where the scheduler's completions run; nothing is delivered before <see cref="Duplex.Start"/>.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation);
}
