using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>All that the checks look at, gathered beforehand, so that each check is a pure function.</summary>
internal sealed record DoctorFacts
{
    public required DoctorOptions Options { get; init; }
    public required HostInfo Host { get; init; }
    public required OpenFileLimit OpenFiles { get; init; }

    /// <summary>CPUs that this process may be given.</summary>
    public required int Cpus { get; init; }

    /// <summary>One reading of the clock, in ns.</summary>
    public double ClockNs { get; init; }

    /// <summary>The machine while nothing of ours ran, and what this process used meanwhile; null when unknown.</summary>
    public MachineTimes? Machine { get; init; }

    public long OwnCpuNs { get; init; }

    /// <summary>Local TCP ports left; 0 when unknown.</summary>
    public int FreePorts { get; init; }

    public IReadOnlyDictionary<Address, AddressState> Addresses { get; init; } = new Dictionary<Address, AddressState>();

    public string TempFolder { get; init; } = "";

    /// <summary>Why nothing can be written there; empty when it can.</summary>
    public string TempFailure { get; init; } = "";

    public string ResultsFailure { get; init; } = "";

    /// <summary>Why no certificate can be made; empty when it can; null when it was not tried.</summary>
    public string? CertificateFailure { get; init; }

    /// <summary>The client was compiled without optimization.</summary>
    public bool DebugBuild { get; init; }
}
