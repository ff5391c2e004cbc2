using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>
/// A run, divided into its cells, with the reference that each arm is compared with. Rounds that were spoiled and
/// repeated are left out.
/// </summary>
public sealed class MeasuredRun
{
    private readonly IReadOnlyList<int?> references;

    public MeasuredRun(RunRecord record)
    {
        Record = record;
        var counting = Counting(record).ToLookup(round => round.Cell);
        Cells = [.. record.Cells.Select((cell, i) =>
            new MeasuredCell(i, cell, [.. counting[i].OrderBy(r => r.Number).Select(r => new RoundMetrics(r))], IsOfBuilds))];
        var choice = new ReferenceChoice(record.Options.Reference, [.. Cells.Select(cell => cell.Key)]);
        references = [.. Cells.Select(cell => choice.Choose(cell.Index))];
    }

    public RunRecord Record { get; }

    /// <summary>The cells in the order of <see cref="RunRecord.Cells"/>.</summary>
    public IReadOnlyList<MeasuredCell> Cells { get; }

    /// <summary>The number of rounds that were measured again because their first attempt was disturbed.</summary>
    public int Repeated => Record.Rounds.Where(round => round.Attempt > 0)
        .Select(round => (Record.Cells[round.Cell].Key.Load, round.Number)).Distinct().Count();

    /// <summary>The number of rounds that every cell has. Cells of a search for a rate are left out.</summary>
    public int CommonRounds => Cells.Where(cell => !cell.Key.VariesRate).Select(cell => cell.Rounds.Count).DefaultIfEmpty(0).Min();

    /// <summary>Whether the run is one of <c>ab</c>, which compares two builds of a server and nothing else.</summary>
    public bool IsOfBuilds => Record.Scenario == "ab";

    /// <summary>Whether the transport <c>pipe</c> is a named pipe. Except on Windows, .NET's pipe API opens a Unix socket.</summary>
    public bool HasNamedPipes => Record.Host.Os.Contains("Windows", StringComparison.OrdinalIgnoreCase);

    /// <summary>Returns the cell that this cell is compared with. Null when the cell is a reference or has no reference.</summary>
    public MeasuredCell? ReferenceOf(MeasuredCell cell) =>
        IsOfBuilds && !ReferenceChoice.IsHead(cell.Key) ? null : references[cell.Index] is { } index ? Cells[index] : null;

    /// <summary>
    /// Chooses the rounds that count. Both values of a pair must come from the same attempt. If a round of a workload
    /// has several attempts, the last attempt that measured all cells of the workload counts, or the first attempt if
    /// no attempt measured all of them. A window that was cut to less than half of its planned length or calls (Ctrl-C,
    /// a lost server) counts only if all windows of its cell were cut. The choice does not depend on the results,
    /// because such a choice would bias them.
    /// </summary>
    private static IEnumerable<Measurement> Counting(RunRecord record)
    {
        // A repetition that was cut must not replace a first attempt that is whole, so cut windows are left out first.
        return record.Rounds.GroupBy(round => round.Cell).SelectMany(cell => cell.Any(IsWhole) ? cell.Where(IsWhole) : cell)
            .GroupBy(round => (Workload.From(record.Cells[round.Cell].Key), round.Number)).SelectMany(number => LastWhole([.. number]));

        bool IsWhole(Measurement round) => round.WindowNs * 2 >= record.Options.DurationNs && round.Started * 2 >= record.Options.Calls;
    }

    private static IEnumerable<Measurement> LastWhole(IReadOnlyList<Measurement> rounds)
    {
        var cells = rounds.Select(round => round.Cell).Distinct().Count();
        var attempts = rounds.GroupBy(round => round.Attempt).OrderBy(attempt => attempt.Key).ToList();
        return attempts.LastOrDefault(attempt => attempt.Select(round => round.Cell).Distinct().Count() == cells)
            ?? attempts[0].AsEnumerable();
    }
}
