namespace IpcBench.Client.Engine;

/// <summary>The connections of one cell on their threads; runs windows of load over them.</summary>
internal abstract class LoadGenerator : IAsyncDisposable
{
    /// <summary>Calls that ended well so far, over all windows; cheap, may be polled from any thread, after its end too.</summary>
    public abstract long CallsSoFar { get; }

    /// <summary>Opens all connections, ramped.</summary>
    /// <exception cref="IOException">They could not all be opened before the deadline; the message says how many, and why the last one not.</exception>
    /// <exception cref="ArgumentException">No such client or protocol in the table of protocols.</exception>
    public static async Task<LoadGenerator> OpenAsync(LoadOptions options, CancellationToken cancellation) =>
        await LaneGenerator.OpenAsync(options, await Protocols.ProtocolTable.FactoryAsync(options, cancellation), cancellation);

    /// <summary>Runs one window and drains it. Cancellation ends the window early: what was measured until then is returned.</summary>
    public abstract Task<LoadResult> RunAsync(LoadWindow window, CancellationToken cancellation);

    public abstract ValueTask DisposeAsync();
}
