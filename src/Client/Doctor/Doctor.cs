using IpcBench.Analysis.Results;

namespace IpcBench.Client.Doctor;

/// <summary>Looks for conditions of this machine that would disturb a measurement.</summary>
internal static class Doctor
{
    // The checks in the order of the output. To add a check, add an entry here.
    private static readonly Func<DoctorFacts, IEnumerable<Finding>>[] Checks =
    [
        One(LimitChecks.OpenFiles), One(LimitChecks.AcceptQueue), One(LimitChecks.Ports), One(LimitChecks.SocketBuffers),
        One(MachineChecks.Quota), One(MachineChecks.Cores), One(MachineChecks.Governor), One(MachineChecks.Clock),
        One(MachineChecks.ForeignLoad),
        One(RuntimeChecks.Build), One(RuntimeChecks.Gc), One(RuntimeChecks.Variables),
        One(PlaceChecks.Temp), One(PlaceChecks.Results), One(PlaceChecks.Certificates), PlaceChecks.Targets, PlaceChecks.Neighbours,
    ];

    public static IReadOnlyList<Finding> Judge(DoctorFacts facts) => [.. Checks.SelectMany(check => check(facts))];

    /// <summary>Returns the findings of all checks, good and bad.</summary>
    public static async Task<IReadOnlyList<Finding>> ExamineAsync(DoctorOptions options, HostInfo host) =>
        Judge(await FactsGathering.GatherAsync(options, host));

    /// <summary>
    /// Returns the warnings and problems, for the reports of a run. Takes about 200 ms, mostly to measure the CPU use of other programs.
    /// </summary>
    public static async Task<IReadOnlyList<Advice>> ProblemsAsync(DoctorOptions options, HostInfo host) =>
        [.. (await ExamineAsync(options, host)).Where(finding => finding.Level != Level.Ok).Select(finding => finding.ToAdvice())];

    private static Func<DoctorFacts, IEnumerable<Finding>> One(Func<DoctorFacts, Finding> check) => facts => [check(facts)];
}
