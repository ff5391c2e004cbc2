using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Two made-up results files, called base and new, as <c>compare</c> reads them: three transports, two sizes.</summary>
internal static class ComparedFiles
{
    public static FileComparison Compared(RunRecord before, RunRecord after) =>
        new(new NamedRun("base", new MeasuredRun(before)), new NamedRun("new", new MeasuredRun(after)));

    /// <summary>Makes the file called base.</summary>
    public static RunRecord Before(int rounds = 7) => Sample(seed: 1, rounds: rounds);

    /// <summary>Makes the file called new: the same cells measured again, with other noise.</summary>
    /// <param name="speed">The rate of every cell as a multiple of the rate in <see cref="Before"/>.</param>
    /// <param name="rounds">The number of rounds of each cell.</param>
    public static RunRecord After(double speed = 1, int rounds = 7) => Sample(seed: 2, speed, rounds);

    public static RunRecord Sample(int seed, double factor = 1, int rounds = 7, string os = "Linux") =>
        new SampleRuns(seed)
        {
            Sizes = [10, 10_000],
            Rounds = rounds,
            SamplesPerRound = 40,
            Os = os,
            Speed = (transport, _) => factor * (transport == "unix" ? 1.4 : 1),
        }.Make();
}
