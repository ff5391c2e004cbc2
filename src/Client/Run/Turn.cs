namespace IpcBench.Client.Run;

/// <summary>Identifies a measurement of a cell.</summary>
/// <param name="Number">The number of the round, from 1.</param>
/// <param name="Attempt">0, or a higher number when the round is repeated.</param>
/// <param name="Rate">Calls per second to offer. Null means as many as possible.</param>
/// <param name="Machine">The speed of the machine just before the measurement: the times of two fixed pieces of work.</param>
internal sealed record Turn(int Number, int Attempt, double? Rate, (long FixedLoopNs, double MemoryStepNs) Machine);
