using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>
/// The run so far, in memory and, after every measurement, in its file: a kill loses at most the one under way. Before the first there is
/// nothing to keep, and a file that is there already stays as it is.
/// </summary>
/// <param name="start">Before the first measurement.</param>
/// <param name="file">Null when the run is not to be saved.</param>
/// <param name="complain">Is told once, in a sentence, when the file cannot be written.</param>
/// <param name="largest">Bytes that the file may have, so that it can be read again.</param>
internal sealed class RunJournal(RunRecord start, string? file, Action<string> complain, long largest = WholeFile.LargestRead)
{
    private readonly int kept = start.Rounds.Count;
    private bool complained;

    /// <summary>Something was measured since the journal began.</summary>
    public bool HasMeasured => Record.Rounds.Count > kept;

    /// <summary>The file is a device or pipe, which gets the run once, when it is over.</summary>
    public bool IsStream { get; } = file is not null && WholeFile.IsStream(file);

    /// <summary>The file has as much as can be read again, but for what its end takes.</summary>
    public bool IsFull { get; private set; }

    public RunRecord Record { get; private set; } = start;

    /// <summary>Null when the run is not to be saved.</summary>
    public string? File => file;

    /// <summary>Why the file is behind; null when it holds everything.</summary>
    public string? Unsaved { get; private set; }

    public void Add(Measurement round) => Change(Record with { Rounds = [.. Record.Rounds, round] });

    public void Add(IEnumerable<Advice> advice) => Change(Record with { Advice = [.. Record.Advice, .. advice] });

    public void Replace(Func<RunRecord, RunRecord> change) => Change(change(Record));

    private void Change(RunRecord record)
    {
        Record = record;
        if (file is null || (IsStream ? record.Finished is null : !HasMeasured))
            return;
        try
        {
            ResultsFile.Save(file, record);
            IsFull = !IsStream && new FileInfo(file).Length > largest - (largest / 64);
            Unsaved = null;
        }
        catch (ResultsFileException e)
        {
            // A full disk must not end a long run: what was measured stays in memory and is written with the next round.
            Unsaved = e.Message;
            if (!complained && record.Finished is null)
                complain($"{e.Message}; going on, and trying again after every round");
            complained = true;
        }
    }
}
