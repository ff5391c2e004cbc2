using IpcBench.Analysis.Results;

namespace IpcBench.Client.Doctor;

/// <summary>Examines the machine before its transports are blamed.</summary>
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
