namespace IpcBench.Client.Machine;

/// <summary>Connections of one endpoint at one moment; the states are those of <see cref="IpcBench.Analysis.Results.WatchedEndpoint"/>.</summary>
internal readonly record struct ConnectionTally(int Active, int Idle, int Waiting, int Closing, int TimeWait);
