using System.Text;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>
/// The run so far, in memory and, after every measurement, in its file: a kill loses at most the one under way. Before the first there is
/// nothing to keep, and a file that is there already stays as it is. When another run writes the same file meanwhile, this one goes on in a
/// file of its own.
/// </summary>
/// <param name="start">Before the first measurement.</param>
/// <param name="file">Null when the run is not to be saved.</param>
/// <param name="complain">Is told once, in a sentence, when the file cannot be written.</param>
/// <param name="largest">Bytes that the file may have, so that it can be read again.</param>
internal sealed class RunJournal(RunRecord start, string? file, Action<string> complain, long largest = WholeFile.LargestRead)
{
    private readonly int kept = start.Rounds.Count;
    private (DateTime Written, long Length)? known = Stamp(file);
    private RunRecord? saved;
    private bool complained;

    /// <summary>Something was measured since the journal began.</summary>
    public bool HasMeasured => Record.Rounds.Count > kept;

    /// <summary>The file is a device or pipe, which gets the run once, when it is over.</summary>
    public bool IsStream { get; } = file is not null && WholeFile.IsStream(file);

    /// <summary>The file has as much as can be read again, but for what its end takes.</summary>
    public bool IsFull { get; private set; }

    public RunRecord Record { get; private set; } = start;

    /// <summary>Null when the run is not to be saved.</summary>
    public string? File { get; private set; } = file;

    /// <summary>Why the file is behind; null when it holds everything.</summary>
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
                complain($"another run writes {File} too: this one is in {own}");
                File = own;
            }
            ResultsFile.Save(File, record);
            (saved, known) = (record, Stamp(File));
            IsFull = !IsStream && new FileInfo(File).Length > largest - (largest / 64);
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

    /// <summary>Somebody has written it since: what it holds is neither what was there at first nor what this run wrote.</summary>
    private bool IsAnothers(string path)
    {
        if (Stamp(path) is not { } now || now == known)
            return false;
        // Some file systems of networks change a time afterwards: then the run is still there.
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
        path is { Length: > 0 } && new FileInfo(path) is { Exists: true } file ? (file.LastWriteTimeUtc, file.Length) : null;
}
