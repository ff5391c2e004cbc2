using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>Where the CPU time of the server goes, by stage: a table for each load, and a sentence for the answer.</summary>
internal static class ProfileSection
{
    /// <summary>Returns the title of the section.</summary>
    public static string Title(MeasuredRun run) => run.Record.Profile is { IsCpuTime: false }
        ? "Time of the server's code by stage" : "CPU time of the server by stage";

    /// <summary>Makes a block for each load, and a block with notes about the samples. Empty without <c>--profile</c>.</summary>
    public static IReadOnlyList<Block> Make(MeasuredRun run)
    {
        if (run.Record.Profile is not { } profile)
            return [];
        var sampled = StageShares.Compute(run);
        var blocks = sampled.GroupBy(cell => cell.Cell.Workload).Select(load => OfLoad(run, [.. load])).ToList();
        var sentences = Refusals(run).ToList();
        if (sampled.Count > 0)
        {
            sentences.Insert(0, !profile.IsCpuTime
                ? "The .NET runtime took the samples, once in a millisecond. Each value is the stage's share of the time in which "
                    + "threads of the server were in .NET code, with a CPU or ready for a CPU. System calls of sockets, this tool's own "
                    + "event loop, collections and compilation are left out: only perf(1) sees their CPU time."
                : "Each value is the stage's share of the samples × the server's CPU per call of the counted rounds. "
                    + "Each interval holds at 95 % by itself, over pairs of sampled windows of one start of the server.");
            sentences.AddRange(OfSamples(sampled));
        }
        return [.. blocks, new Block { Caption = profile.Refused, Sentences = sentences }];
    }

    /// <summary>
    /// Names the stage with the largest difference between two arms, if the answer decides their CPU per call and this stage goes the
    /// same way. The sentence is about the arms with the largest such stage. Null without such a stage.
    /// </summary>
    public static string? Line(MeasuredRun run) =>
        (from arm in StageShares.Compute(run)
         let reference = ReferenceOf(run, arm)
         let cost = reference is null ? null : Answers.CostOf(run, arm.Cell, reference.Cell)
         where cost is not null
         let most = StageShares.Names([arm, reference]).Select(stage => arm.MoreThan(reference, stage)).OfType<StageDifference>()
             .MaxBy(stage => Math.Abs(stage.Ns))
         where most is { IsDecided: true } && most.Ns > 0 == cost.IsWorse
         orderby Math.Abs(most.Ns) / reference.CallNs descending
         select $"{Arms.NameOf(run, arm.Cell.Workload)}: of the stages of the server's CPU time, \"{most.Stage}\" differs most between "
             + $"{arm.Cell.Key.Arm} and {reference.Cell.Key.Arm}: {Signed(most)} µs a call (--profile).").FirstOrDefault();

    private static Block OfLoad(MeasuredRun run, List<StageShares> arms)
    {
        var compared = arms.Where(arm => arm.IsCpuTime && ReferenceOf(run, arm) is not null).ToList();
        var table = new TextTable(["stage", .. arms.Select(arm => arm.Cell.Key.Arm),
            .. compared.Select(arm => $"{arm.Cell.Key.Arm} − {ReferenceOf(run, arm)!.Cell.Key.Arm}, µs")]);
        foreach (var stage in StageShares.Names(arms))
            table.Add([stage, .. arms.Select(arm => Value(arm, arm.Share(stage))), .. compared.Select(
                arm => arm.MoreThan(ReferenceOf(run, arm)!, stage) is { } more ? Signed(more) : Quantity.None)]);
        // The whole call has no interval here, because the answer judges the CPU of a call, with the interval of its family.
        if (arms[0].IsCpuTime)
        {
            table.Add(["together", .. arms.Select(arm => Value(arm, 1)), .. compared.Select(
                arm => arm.CallNs - ReferenceOf(run, arm)!.CallNs is { } more ? Signed(new("", more, null)) : Quantity.None)]);
        }
        return new Block { Caption = Arms.NameOf(run, arms[0].Cell.Workload), Table = table };
    }

    private static StageShares? ReferenceOf(MeasuredRun run, StageShares arm) =>
        run.ReferenceOf(arm.Cell) is not { } reference ? null : StageShares.Compute(run).FirstOrDefault(other => other.Cell == reference);

    private static string Value(StageShares arm, double share) =>
        arm.CallNs is { } all ? Quantity.Micros(share * all) : Quantity.Percent(share);

    private static string Signed(StageDifference difference)
    {
        var format = Math.Abs(difference.Ns) < 10_000 ? "F2" : "F1";
        string Text(double value) => (value < 0 ? "−" : "") + Math.Abs(value / 1000).ToString(format, CultureInfo.InvariantCulture);
        return (difference.Ns >= 0 ? "+" : "") + Text(difference.Ns)
            + (difference.Interval is { } known ? $" [{Text(known.Low)}, {Text(known.High)}]" : "");
    }

    private static IEnumerable<string> Refusals(MeasuredRun run) =>
        from profile in run.Record.Profile!.Cells
        where profile.Refused.Length > 0
        group profile by profile.Refused into same
        select $"{string.Join(", ", same.Select(one => run.Record.Cells[one.Cell].Key.Arm).Distinct())}: {same.Key}.";

    private static IEnumerable<string> OfSamples(IReadOnlyList<StageShares> cells)
    {
        var changes = cells.Where(cell => cell.Cell.Value(Metric.ServerCpu) > 0 && cell.SampledCallNs > 0)
            .Select(cell => (cell.Cell.Key.Arm, Ratio: cell.SampledCallNs!.Value / cell.Cell.Value(Metric.ServerCpu)!.Value)).ToList();
        if (changes.Count > 0 && changes.MaxBy(one => Math.Abs(Math.Log(one.Ratio))) is var (arm, ratio))
            yield return "The sampled windows are not counted. Server CPU per call differs between these windows and the counted rounds by "
                + $"{Quantity.Percent(Math.Abs(ratio - 1))} or less ({arm}).";
        if (cells.MaxBy(cell => cell.Unnamed) is { Unnamed: >= 0.005 } most)
            yield return $"In up to {Quantity.Percent(most.Unnamed)} of the samples the innermost method has no name, only an assembly: "
                + "such code was compiled ahead. The assembly decides the stage.";
    }
}
