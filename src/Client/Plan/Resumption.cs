using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// A saved run to which rounds are added. The user has already seen its results, so the file records the new rounds as a further
/// look. Intervals are then computed as with <c>--rounds auto</c>, and hold for any number of looks.
/// </summary>
/// <param name="File">The results file to which the rounds are added.</param>
/// <param name="Kept">The run as read from the file.</param>
/// <param name="More">The number of rounds to add.</param>
internal sealed record Resumption(string File, RunRecord Kept, int More)
{
    // A run saves its file after each measurement. If nothing was written for this time, the run counts as ended.
    private static readonly TimeSpan LongestSilence = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The number of the last round in the kept run, in which some cells may be missing. Rounds with rates of their own
    /// do not count. 0 when there is no round.
    /// </summary>
    public int Last => LastOf(varied: false);

    /// <summary>The number of the last round with rates of its own. 0 when there is no such round.</summary>
    public int LastOfVaried => LastOf(varied: true);

    private IReadOnlyList<int> Looks => Kept.Options switch
    {
        { Looks.Count: > 0 } options => options.Looks,
        _ => [Last],
    };

    private int LastOf(bool varied) => Kept.Rounds.Where(round => Kept.Cells[round.Cell].Key.VariesRate == varied)
        .Select(round => round.Number).DefaultIfEmpty(0).Max();

    /// <summary>True when the file keeps the whole command line, with no value hidden as a secret.</summary>
    public static bool KeepsCommandLine(RunRecord run) =>
        !run.CommandLine.Any(argument => argument.Contains(UrlText.Hidden, StringComparison.Ordinal));

    /// <summary>Reads the saved run.</summary>
    /// <exception cref="UsageException">The run cannot be continued.</exception>
    public static Resumption Open(string file, int more)
    {
        RunRecord kept;
        try
        {
            kept = ResultsFile.Load(file);
        }
        catch (ResultsFileException e)
        {
            throw new UsageException($"--resume: {e.Message}");
        }
        if (!KeepsCommandLine(kept))
            throw new UsageException($"--resume: {file} does not keep the secrets of its command line, so no rounds can be "
                + "added (runs with -H, --data and --expect as @FILE can be resumed)");
        // A file time far in the future means that the clock was set back since then, so the file was not written a moment ago.
        if (kept.Ending == RunEnding.Running
            && (DateTimeOffset.UtcNow - System.IO.File.GetLastWriteTimeUtc(FileKind.Target(file))).Duration() < LongestSilence)
            throw new UsageException($"--resume: {file} was written a moment ago and is not complete: wait until the run that writes "
                + "this file has ended");
        return new Resumption(file, kept, more);
    }

    /// <summary>Returns the options of the saved run with the added rounds.</summary>
    /// <param name="asked">The options from the saved command line.</param>
    /// <param name="output">The options for printing and saving.</param>
    public RunOptions Apply(RunOptions asked, OutputOptions output) => asked with
    {
        Resume = this,
        RoundsAuto = false,
        Rounds = Last + More,
        Duration = asked.AddsRounds && Kept.Options.DurationNs > 0
            ? TimeSpan.FromMicroseconds(Kept.Options.DurationNs / 1e3) : asked.Duration,
        Seed = Kept.Seed,
        Output = output with { File = File, Label = Kept.Label },
    };

    /// <summary>Returns the record to which rounds are added.</summary>
    /// <param name="now">The record with which a new run of this plan would begin on this machine.</param>
    /// <exception cref="EnvironmentException">The new rounds would be from another machine, build or plan.</exception>
    public RunRecord Continue(RunRecord now)
    {
        var keys = Kept.Cells.Select(cell => cell.Key).ToList();
        var differences = Differences.OfMachines(Kept, now).Concat(Differences.OfSettings(Kept, now)).ToList();
        if (keys.SequenceEqual(now.Cells.Select(cell => cell.Key)) && differences.Count == 0)
        {
            return Kept with
            {
                Finished = null,
                Ending = RunEnding.Running,
                Options = Kept.Options with { Rounds = Kept.Options.RoundsAuto ? 0 : Last + More, Looks = [.. Looks, Last + More] },
            };
        }
        throw Refusal(differences.Count > 0 ? Told(differences[0])
            : keys.Zip(now.Cells).Any(pair => pair.First.Corpus != pair.Second.Key.Corpus)
                ? "the file of --data or --body has other content than before" : "this version plans other cells than the file has");
    }

    /// <summary>Checks that the saved run is from this machine, before its options are read: another machine may reject them.</summary>
    /// <exception cref="EnvironmentException">The saved run is from another machine.</exception>
    public void CheckMachine(HostInfo here)
    {
        if (Differences.OfMachines(Kept, Kept with { Host = here }) is [var first, ..])
            throw Refusal($"the file was measured on another machine ({Told(first)})");
    }

    private EnvironmentException Refusal(string why) =>
        new($"--resume: no round can be added to {File}: {why}, so old and new rounds would not belong to one run");

    private static string Told(Difference difference) => $"{difference.What} was '{difference.Before}' and is now '{difference.After}'";
}
