namespace IpcBench.Client.Engine;

/// <summary>Makes the connections of one cell; what protocol they speak is decided here.</summary>
internal interface IConnectionFactory
{
    /// <summary>Connects tried again because the server's accept queue was full.</summary>
    long ConnectRetries { get; }

    /// <summary>True when its connections live on <see cref="LoopScheduler"/>s, false when the framework chooses the threads.</summary>
    bool UsesLoops { get; }

    /// <summary>Connects that belong to calls; null where connections are opened before the calls and kept.</summary>
    ConnectLog? Connects => null;

    IConnection Create(Scheduler scheduler);
}
