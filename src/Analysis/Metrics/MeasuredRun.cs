using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>A run seen by cells: spoiled and repeated rounds set aside, each arm with the reference it is compared with.</summary>
public sealed class MeasuredRun
{
    private readonly ReferenceChoice references;

    public MeasuredRun(RunRecord record)
    {
        Record = record;
        var counting = Counting(record).ToLookup(round => round.Cell);
        Cells = [.. record.Cells.Select((cell, i) =>
            new MeasuredCell(i, cell, [.. counting[i].OrderBy(r => r.Number).Select(r => new MeasurementView(r))]))];
        references = new ReferenceChoice(record.Options.Reference, [.. Cells.Select(cell => cell.Key)]);
    }

    public RunRecord Record { get; }

    /// <summary>In the order of <see cref="RunRecord.Cells"/>, one for one.</summary>
    public IReadOnlyList<MeasuredCell> Cells { get; }

    /// <summary>Rounds of which something was measured again because something else had the machine.</summary>
    public int Repeated => Record.Rounds.Where(round => round.Attempt > 0)
        .Select(round => (Record.Cells[round.Cell].Key.Load, round.Number)).Distinct().Count();

    /// <summary>Rounds that every measured cell has.</summary>
    public int CommonRounds => Cells.Count == 0 ? 0 : Cells.Min(cell => cell.Rounds.Count);

    /// <summary>The cell that this one is compared with; null when it is a reference itself or there is none.</summary>
    public MeasuredCell? ReferenceOf(MeasuredCell cell) => references.Of(cell.Index) is { } index ? Cells[index] : null;

    /// <summary>
    /// The rounds that count: of several attempts the last one in which every cell that is compared with another was measured, since pairs
    /// are of one attempt. A window that was cut short (Ctrl-C, a lost server) counts only for a cell that has no other. Any further choice
    /// would select results.
    /// </summary>
    private static IEnumerable<Measurement> Counting(RunRecord record)
    {
        var attempts = record.Rounds.GroupBy(round => (Point.Of(record.Cells[round.Cell].Key), round.Number))
            .SelectMany(number => LastWhole([.. number]));
        return attempts.GroupBy(round => round.Cell).SelectMany(cell => cell.Any(IsWhole) ? cell.Where(IsWhole) : cell);

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

/// <summary>One run in a report, and the name that tells it from the others.</summary>
public sealed record NamedRun(string Name, MeasuredRun Run);
