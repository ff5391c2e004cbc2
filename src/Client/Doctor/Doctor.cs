using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>Looks for what on this machine would disturb a measurement.</summary>
internal static class Doctor
{
    // The order in which they are printed; a new check is a line here.
    private static readonly Func<DoctorFacts, IEnumerable<Finding>>[] Checks =
    [
        One(LimitChecks.OpenFiles), One(LimitChecks.AcceptQueue), One(LimitChecks.Ports), One(LimitChecks.SocketBuffers),
        One(MachineChecks.Quota), One(MachineChecks.Cores), One(MachineChecks.Governor), One(MachineChecks.Clock),
        One(MachineChecks.ForeignLoad),
        One(RuntimeChecks.Build), One(RuntimeChecks.Gc), One(RuntimeChecks.Variables),
        One(PlaceChecks.Temp), One(PlaceChecks.Results), One(PlaceChecks.Certificates), PlaceChecks.Targets, PlaceChecks.Neighbours,
    ];

    public static IReadOnlyList<Finding> Judge(DoctorFacts facts) => [.. Checks.SelectMany(check => check(facts))];

    /// <summary>Everything that was looked at, good or bad.</summary>
    public static async Task<IReadOnlyList<Finding>> ExamineAsync(DoctorOptions options, HostInfo host) =>
        Judge(await FactsGathering.GatherAsync(options, host));

    /// <summary>
    /// Before a run, silently: what is not right, for the reports. Takes some 200 ms, most of it watching what others do.
    /// </summary>
    public static async Task<IReadOnlyList<Advice>> ProblemsAsync(DoctorOptions options, HostInfo host) =>
        [.. (await ExamineAsync(options, host)).Where(finding => finding.Level != Level.Ok).Select(finding => finding.ToAdvice())];

    private static Func<DoctorFacts, IEnumerable<Finding>> One(Func<DoctorFacts, Finding> check) => facts => [check(facts)];
}

/// <summary>The run that the machine is examined for.</summary>
internal sealed record DoctorOptions
{
    /// <summary>Most connections of any cell.</summary>
    public int Connections { get; init; } = 400;

    public int Threads { get; init; } = 5;

    /// <summary>Accept queue that the server asks for.</summary>
    public int Backlog { get; init; } = 4096;

    /// <summary>Socket buffer in bytes asked for; null leaves the system's choice.</summary>
    public int? SocketBuffer { get; init; }

    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>Somebody else's server to measure; empty: the client starts its own.</summary>
    public IReadOnlyList<Address> Targets { get; init; } = [];

    /// <summary>Addresses to look at for servers and remains; the server's defaults in <c>doctor</c>, none before a run.</summary>
    public IReadOnlyList<Address> Neighbours { get; init; } = [];

    /// <summary>Where results go; null when they are not kept.</summary>
    public string? ResultsFolder { get; init; } = "results";

    /// <summary>The run connects over TCP, which takes a local port for every connection.</summary>
    public bool Tcp { get; init; } = true;

    /// <summary>The run needs a certificate made.</summary>
    public bool Tls { get; init; }

    /// <summary>How long to watch what others do with the machine.</summary>
    public TimeSpan Watch { get; init; } = TimeSpan.FromMilliseconds(150);
}
