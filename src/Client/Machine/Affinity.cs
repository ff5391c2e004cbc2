namespace IpcBench.Client.Machine;

/// <summary>Which CPUs a process may run on.</summary>
internal static class Affinity
{
    /// <summary>Set for a client that was started again under a CPU set: holds the set, and stops it from starting itself once more.</summary>
    public const string ClientVariable = "GRPCBENCH_CLIENT_CPUS";
}
