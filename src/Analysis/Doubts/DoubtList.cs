using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>Every doubt there is, gravest first: a new one is one line here.</summary>
public static class DoubtList
{
    public static IReadOnlyList<IDoubt> All { get; } =
    [
        new AaFailed(), new Incomplete(), new Failures(), new NoLocalPort(), new LostSamples(), new LittlesLaw(), new ConnectionsDiffer(), new StreamsLimited(), new RateMissed(),
        new ClientBusy(), new ClientCeiling(), new ThreadsUsed(), new NotWarm(), new Steadiness(), new Placement(), new SpoiledRounds(), new ForeignLoad(), new Steal(),
        new Throttling(), new ClientCollections(), new EdgeBias(), new UnclaimedCpu(), new FewSamples(), new TlsCompared(), new PipeIsSocket(),
    ];

    /// <summary>What follows from the rounds, then what the run itself noted.</summary>
    public static IReadOnlyList<Advice> Of(MeasuredRun run) => [.. All.Select(doubt => doubt.Of(run)).OfType<Advice>(), .. run.Record.Advice];
}
