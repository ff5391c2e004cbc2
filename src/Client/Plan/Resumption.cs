using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// A kept run to which rounds are added. Whoever asks for more has seen what there is, so this is another look: the file records it, and
/// from then on its intervals are those of <c>--rounds auto</c>, which hold however often somebody looks.
/// </summary>
/// <param name="File">Where it is kept, and goes on to be.</param>
/// <param name="Kept">As it was read.</param>
/// <param name="More">Rounds to add.</param>
internal sealed record Resumption(string File, RunRecord Kept, int More)
{
    // A run that is under way saves its file after each measurement.
    private static readonly TimeSpan LongestSilence = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The last round of the kept run but for those with rates of their own, of which some cells may be missing; 0: none.
    /// </summary>
    public int Last => LastOf(varied: false);

    /// <summary>The last round with rates of its own; 0: none.</summary>
    public int LastOfVaried => LastOf(varied: true);

    private IReadOnlyList<int> Looks => Kept.Options switch
    {
        { Looks.Count: > 0 } options => options.Looks,
        _ => [Last],
    };

    private int LastOf(bool varied) => Kept.Rounds.Where(round => Kept.Cells[round.Cell].Key.VariesRate == varied)
        .Select(round => round.Number).DefaultIfEmpty(0).Max();

    /// <summary>Reads the kept run.</summary>
    /// <exception cref="UsageException">It cannot be gone on with.</exception>
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
        if (kept.CommandLine.Any(argument => argument.Contains(UrlText.Hidden, StringComparison.Ordinal)))
            throw new UsageException($"--resume: {file} does not keep the secrets of its command line, so its plan cannot be "
                + "repeated (what -H, --data and --expect take from @FILE can)");
        // A time of the future is from before the clock was set back, and no moment ago.
        if (kept.Ending == RunEnding.Running
            && (DateTimeOffset.UtcNow - System.IO.File.GetLastWriteTimeUtc(file)).Duration() < LongestSilence)
            throw new UsageException($"--resume: {file} was written a moment ago and is not ended: that run seems to go on");
        return new Resumption(file, kept, more);
    }

    /// <summary>The options of the kept run with the rounds that are added.</summary>
    /// <param name="asked">As the kept run's command line has them.</param>
    /// <param name="output">What to show.</param>
    public RunOptions Apply(RunOptions asked, OutputOptions output) => asked with
    {
        Resume = this,
        RoundsAuto = false,
        Rounds = Last + More,
        Seed = Kept.Seed,
        Output = output with { File = File, Label = Kept.Label },
    };

    /// <summary>The record to go on with.</summary>
    /// <param name="now">What a new run of this plan would begin with, here and now.</param>
    /// <exception cref="EnvironmentException">It would be of another machine, build or plan.</exception>
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
        throw Refusal(differences.Count == 0 ? "its cells would be different now" : Told(differences[0]));
    }

    /// <summary>Finds out early, before options are read that another machine may not have.</summary>
    /// <exception cref="EnvironmentException">The kept run is of another machine.</exception>
    public void CheckMachine(HostInfo here)
    {
        if (Differences.OfMachines(Kept, Kept with { Host = here }) is [var first, ..])
            throw Refusal($"it was measured on another machine ({Told(first)})");
    }

    private EnvironmentException Refusal(string why) =>
        new($"--resume: no round can be added to {File}: {why}, so old and new rounds would not belong to one run");

    private static string Told(Difference difference) => $"its {difference.What} was '{difference.Before}' and is '{difference.After}' now";
}
