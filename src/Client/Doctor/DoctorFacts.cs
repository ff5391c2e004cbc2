using System.Text.Json.Serialization;
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

/// <summary>What one check found.</summary>
/// <param name="Check">Stable short name, e.g. <c>open-files</c>.</param>
/// <param name="Level">How bad it is.</param>
/// <param name="Text">What was seen, with its numbers.</param>
/// <param name="Fix">What to do; empty when it is fine.</param>
internal sealed record Finding(string Check, Level Level, string Text, string Fix = "")
{
    /// <summary>The same as whole sentences, for the reports.</summary>
    public Advice ToAdvice() => new()
    {
        Id = Check,
        Doubt = Text + ".",
        Fix = Fix.Length == 0 ? "" : char.ToUpperInvariant(Fix[0]) + Fix[1..] + ".",
    };
}

/// <summary>How bad a finding is: only a problem stops a run.</summary>
internal enum Level
{
    [JsonStringEnumMemberName("ok")]
    Ok,

    [JsonStringEnumMemberName("warn")]
    Warn,

    [JsonStringEnumMemberName("problem")]
    Problem,
}
