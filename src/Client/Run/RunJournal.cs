using System.Text;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>
/// Keeps the run in memory, and writes it to its file after every measurement. A kill then loses at most the
/// measurement in progress. An existing file is not touched before the first measurement. If another run writes the
/// same file meanwhile, this run continues in a new file.
/// </summary>
/// <param name="start">The record before the first measurement.</param>
/// <param name="file">The run's file. Null when the run is not to be saved.</param>
/// <param name="complain">Receives a sentence when the file cannot be written, or when another run writes it.</param>
/// <param name="largest">The largest file in bytes that can be read again.</param>
internal sealed class RunJournal(RunRecord start, string? file, Action<string> complain, long largest = WholeFile.LargestRead)
{
    private readonly int kept = start.Rounds.Count;
    private (DateTime Written, long Length)? known = Stamp(file);
    private RunRecord? saved;
    private bool complained;

    /// <summary>True when something was measured since the journal began.</summary>
    public bool HasMeasured => Record.Rounds.Count > kept;

    /// <summary>True when the file is a device or pipe. Such a file gets the run once, at the end.</summary>
    public bool IsStream { get; } = file is not null && FileKind.IsStream(file);

    /// <summary>True when the file has nearly reached its largest size. Some room is left for the end of the run.</summary>
    public bool IsFull { get; private set; }

    public RunRecord Record { get; private set; } = start;

    /// <summary>The file that holds the run. Null when the run is not to be saved.</summary>
    public string? File { get; private set; } = file;

    /// <summary>Why the file is not up to date. Null when it holds the whole run.</summary>
    public string? Unsaved { get; private set; }

    public void Add(Measurement round) => Change(Record with { Rounds = [.. Record.Rounds, round] });

    public void Add(IEnumerable<Advice> advice) => Change(Record with { Advice = [.. Record.Advice, .. advice] });

    public void Replace(Func<RunRecord, RunRecord> change) => Change(change(Record));

    private void Change(RunRecord record)
    {
        Record = record;
        if (File is null || (IsStream ? record.Finished is null : !HasMeasured))
            return;
        try
        {
            if (!IsStream && IsAnothers(File))
            {
                var own = ResultsPath.Make(Path.GetDirectoryName(File) ?? "", Path.GetFileNameWithoutExtension(File), record);
                complain($"another run also writes {File}: this run is saved in {own}");
                File = own;
            }
            ResultsFile.Save(File, record);
            (saved, known) = (record, Stamp(File));
            IsFull = !IsStream && new FileInfo(FileKind.Target(File)).Length > largest - (largest / 64);
            Unsaved = null;
        }
        catch (ResultsFileException e)
        {
            // A full disk must not end a long run. The measurements stay in memory and are written with the next round.
            Unsaved = e.Message;
            if (!complained && record.Finished is null)
                complain($"{e.Message}; the run continues and tries again after every round");
            complained = true;
        }
    }

    /// <summary>
    /// True when another program has written the file since this run last wrote it, or since the run began if the run has not
    /// written it.
    /// </summary>
    private bool IsAnothers(string path)
    {
        if (Stamp(path) is not { } now || now == known)
            return false;
        // Some network file systems change a file's time after the write. The file then still holds this run.
        var ours = saved is null ? null : ResultsFile.ToJson(saved);
        try
        {
            return ours is null || Encoding.UTF8.GetString(WholeFile.Read(path)).TrimEnd('\n') != ours;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true;
        }
    }

    private static (DateTime Written, long Length)? Stamp(string? path) =>
        path is { Length: > 0 }
        && new FileInfo(FileKind.Target(path)) is { Exists: true } file ? (file.LastWriteTimeUtc, file.Length) : null;
}
