namespace IpcBench.Client.Engine;

/// <summary>The source of a cell's connections. It hides protocol and transport from the engine.</summary>
/// <param name="Make">Makes an unopened connection for the scheduler. May be called from any thread.</param>
/// <param name="UsesLoops">True when connections run on <see cref="LoopScheduler"/>s. When false, .NET chooses the threads.</param>
/// <param name="Retries">Returns how often a connect was tried again because the server's accept queue was full.</param>
/// <param name="Connects">The connect times, if each call opens a connection. Null if connections are opened before the calls.</param>
/// <param name="Notes">The servers' messages about failed calls. Null for protocols without such messages.</param>
internal sealed record ConnectionSource(
    Func<Scheduler, IConnection> Make, bool UsesLoops, Func<long> Retries, ConnectLog? Connects = null, FailureNotes? Notes = null);
