using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Helpers for the tests of doubts: a healthy run, changes of the run, and the doubts that follow.</summary>
internal static class Doubting
{
    /// <summary>Makes a run without doubts.</summary>
    public static RunRecord Healthy(int seed = 1) =>
        new SampleRuns(seed) { Transports = ["tcp", "unix"], Sizes = [10, 1000], Rounds = 8, SamplesPerRound = 500 }.Make();

    public static RunRecord Each(Func<Measurement, Measurement> change) => Healthy() is var run
        ? run with { Rounds = [.. run.Rounds.Select(change)] } : run;

    /// <summary>Changes the rounds of the second cell (unix, 10 B).</summary>
    public static RunRecord Second(Func<Measurement, Measurement> change) => Each(round => round.Cell == 1 ? change(round) : round);

    public static Advice? Find(RunRecord run, string id) => Doubt.Find(new MeasuredRun(run)).FirstOrDefault(advice => advice.Id == id);

    public static void Raises(string id, string numbers, RunRecord run)
    {
        var advice = Find(run, id);
        Assert.True(advice != null, $"{id} was not raised");
        Assert.Contains(numbers, advice.Doubt, StringComparison.Ordinal);
        Assert.NotEmpty(advice.Fix);
    }
}
