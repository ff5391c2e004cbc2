namespace IpcBench.Host;

/// <summary>CPU time of the whole machine during a period, in ns summed over its CPUs.</summary>
/// <param name="BusyNs">Time that is neither idle nor stolen.</param>
/// <param name="SoftIrqNs">Time in handlers of soft interrupts. 0 when the system does not report this time.</param>
/// <param name="StealNs">Time that the hypervisor gave to other machines. 0 when the system does not report it.</param>
/// <param name="CapacityNs">The length of the period times the number of CPUs.</param>
public sealed record MachineTimes(long BusyNs, long SoftIrqNs, long StealNs, long CapacityNs);
