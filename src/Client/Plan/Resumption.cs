using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// A kept run to which rounds are added. Whoever asks for more has seen what there is, so this is another look: the file records it, and
/// all its intervals and winners are at the stricter level of <c>--rounds auto</c> from then on.
/// </summary>
/// <param name="File">Where it is kept, and goes on to be.</param>
/// <param name="Kept">As it was read.</param>
/// <param name="More">Rounds to add.</param>
internal sealed record Resumption(string File, RunRecord Kept, int More)
{
    // A run that is under way saves its file after each measurement.
    private static readonly TimeSpan LongestSilence = TimeSpan.FromSeconds(30);

    /// <summary>The last round of the kept run but for those of a search, of which some cells may be missing; 0 without any.</summary>
    public int Last => LastOf(search: false);

    /// <summary>The last round of its search; 0 without any.</summary>
    public int LastOfSearch => LastOf(search: true);

    private IReadOnlyList<int> Looks => Kept.Options switch
    {
        { Looks.Count: > 0 } options => options.Looks,
        { RoundsAuto: true } => [.. StoppingRule.Looks.Where(look => look < Last), Last],
        _ => [Last],
    };

    private int LastOf(bool search) => Kept.Rounds.Where(round => Kept.Cells[round.Cell].Key.IsSearch == search)
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
            throw new UsageException($"--resume: {file} does not keep the secrets of its command line, so its plan cannot be repeated");
        // A time of the future is from before the clock was set back, and no moment ago.
        if (kept.Ending == "running" && (DateTimeOffset.UtcNow - System.IO.File.GetLastWriteTimeUtc(file)).Duration() < LongestSilence)
            throw new UsageException($"--resume: {file} was written a moment ago and is not ended: that run seems to go on");
        var resumption = new Resumption(file, kept, more);
        return resumption.Looks.Count < StoppingRule.Looks.Count ? resumption : throw new UsageException(string.Create(
            CultureInfo.InvariantCulture,
            $"--resume: {file} has been looked at {resumption.Looks.Count} times, and more looks would invent differences: measure anew"));
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
        Calibrate = false, // kept
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
                Ending = "running",
                Options = Kept.Options with { Rounds = Kept.Options.RoundsAuto ? 0 : Last + More, Looks = [.. Looks, Last + More] },
            };
        }
        var why = differences.Count == 0 ? "its cells are others now"
            : $"its {differences[0].What} was '{differences[0].Before}' and is '{differences[0].After}' now";
        throw new EnvironmentException($"--resume: no round can be added to {File}: {why}, so rounds would not be of one run");
    }
}
