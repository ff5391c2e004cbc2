using IpcBench.Analysis.Records;

namespace IpcBench.Analysis.Measures;

/// <summary>A run seen by cells: spoiled and repeated rounds set aside, each arm with the reference it is compared with.</summary>
public sealed class MeasuredRun
{
    private readonly ReferenceChoice references;

    public MeasuredRun(RunRecord record)
    {
        Record = record;
        var counting = Counting(record).ToLookup(round => round.Cell);
        Cells = [.. record.Cells.Select((cell, i) => new MeasuredCell(i, cell, [.. counting[i].OrderBy(r => r.Number).Select(r => new RoundReading(r))]))];
        references = new ReferenceChoice(record.Options.Reference, [.. Cells.Select(cell => cell.Key)]);
    }

    public RunRecord Record { get; }

    /// <summary>In the order of <see cref="RunRecord.Cells"/>, one for one.</summary>
    public IReadOnlyList<MeasuredCell> Cells { get; }

    /// <summary>Rounds that were measured again because something else had the machine.</summary>
    public int Repeated => Record.Rounds.Where(round => round.Attempt > 0)
        .Select(round => (Record.Cells[round.Cell].Key.Load, round.Number)).Distinct().Count();

    /// <summary>Rounds that every measured cell has.</summary>
    public int CommonRounds => Cells.Count == 0 ? 0 : Cells.Min(cell => cell.Rounds.Count);

    /// <summary>The cell that this one is compared with; null when it is a reference itself or there is none.</summary>
    public MeasuredCell? ReferenceOf(MeasuredCell cell) => references.Of(cell.Index) is { } index ? Cells[index] : null;

    /// <summary>One cell's rounds that count: of several attempts the last. Choosing by more than that would be choosing results.</summary>
    private static IEnumerable<Round> Counting(RunRecord record) => record.Rounds
        .GroupBy(round => (round.Cell, round.Number))
        .Select(attempts => attempts.MaxBy(round => round.Attempt)!);
}
