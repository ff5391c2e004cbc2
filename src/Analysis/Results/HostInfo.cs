namespace IpcBench.Analysis.Results;

/// <summary>The machine and runtime that made the numbers. Unknown texts are empty, unknown numbers 0.</summary>
public sealed record HostInfo
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";
    public string Architecture { get; init; } = "";

    /// <summary>Hypervisor or container, e.g. <c>kvm</c>, <c>docker</c>; empty on bare metal or when it cannot be told.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>CPUs' worth of time a container may use; 0 when not limited.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>CPUs that the client may run on (<c>0-1</c>), or <c>free</c>.</summary>
    public string ClientCpus { get; init; } = "free";

    /// <summary>CPUs that the server may run on, or <c>free</c>.</summary>
    public string ServerCpus { get; init; } = "free";

    public string Runtime { get; init; } = "";

    /// <summary>The client's: <c>workstation</c> or <c>server</c>, with <c>, concurrent</c> where it is.</summary>
    public string GcMode { get; init; } = "";

    /// <summary>Tiered compilation and PGO, as configured.</summary>
    public string Tiering { get; init; } = "";

    /// <summary>The client's <c>DOTNET_*</c> and <c>COMPlus_*</c> variables, those alone that are known to move results.</summary>
    public IReadOnlyDictionary<string, string> RuntimeVariables { get; init; } = new Dictionary<string, string>();

    /// <summary>Open files: soft limit.</summary>
    public long OpenFileLimit { get; init; }

    /// <summary>Longest accept queue (net.core.somaxconn on Linux).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>What else was looked at, as text, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}

/// <summary>What a server says about itself (<c>Control.Describe</c>).</summary>
public sealed record ServerInfo
{
    /// <summary>Addresses of this run that this server answers on.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    public string Stack { get; init; } = "";
    public string StackVersion { get; init; } = "";
    public string Version { get; init; } = "";
    public string Runtime { get; init; } = "";
    public string Os { get; init; } = "";
    public string GcMode { get; init; } = "";
    public int Processors { get; init; }

    /// <summary>Knobs and limits, as text.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}
