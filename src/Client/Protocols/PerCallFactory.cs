using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols;

/// <summary>A connection for every call, whatever protocol the inner factory's connections speak.</summary>
internal sealed class PerCallFactory(IConnectionFactory inner) : IConnectionFactory
{
    public long ConnectRetries => inner.ConnectRetries;

    public bool UsesLoops => inner.UsesLoops;

    public ConnectLog Connects { get; } = new();

    public IConnection Create(Scheduler scheduler) => new PerCallConnection(scheduler, inner, Connects);
}
