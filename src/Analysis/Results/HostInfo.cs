namespace IpcBench.Analysis.Results;

/// <summary>The machine and runtime of a run. An unknown text is empty, and an unknown number is 0.</summary>
public sealed record HostInfo
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";
    public string Architecture { get; init; } = "";

    /// <summary>Hypervisor or container, e.g. <c>kvm</c>, <c>docker</c>. Empty on bare metal or when unknown.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>The number of CPUs whose time a container may use. 0 when not limited.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>CPUs that the client may use (<c>0-1</c>), or <c>free</c> for all CPUs.</summary>
    public string ClientCpus { get; init; } = "free";

    /// <summary>CPUs that the server may use, or <c>free</c> for all CPUs.</summary>
    public string ServerCpus { get; init; } = "free";

    public string Runtime { get; init; } = "";

    /// <summary>
    /// The client's garbage collector: <c>workstation</c> or <c>server</c>, followed by <c>, concurrent</c> if it is concurrent.
    /// </summary>
    public string GcMode { get; init; } = "";

    /// <summary>The settings of tiered compilation and of profile-guided optimization (PGO).</summary>
    public string Tiering { get; init; } = "";

    /// <summary>The client's <c>DOTNET_*</c> and <c>COMPlus_*</c> variables that are known to affect results.</summary>
    public IReadOnlyDictionary<string, string> RuntimeVariables { get; init; } = new Dictionary<string, string>();

    /// <summary>The soft limit on the number of files that the client may have open.</summary>
    public long OpenFileLimit { get; init; }

    /// <summary>The longest accept queue that the system allows (net.core.somaxconn on Linux).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>Settings of the operating system that may affect results, as text, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}
