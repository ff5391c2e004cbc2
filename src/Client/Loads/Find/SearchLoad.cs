using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Loads.Find;

/// <summary>
/// <c>--find 'p99&lt;1ms'</c>: searches the highest rate at which an objective holds. In each round, every arm gets a rate that is
/// computed from the earlier windows of this arm.
/// </summary>
/// <param name="Objective">The objective that must hold.</param>
internal sealed record SearchLoad(LatencyObjective Objective) : GivenLoad
{
    private const int AutoRounds = 12;

    // The least length of a window, as a multiple of the objective's latency. A queue needs many times the latency of
    // its calls to build up and to empty.
    private const double WindowsOfObjective = 100;

    public static LoadOption Asked { get; } = new("--find", "OBJECTIVE",
        "afterwards find the highest rate at which each transport keeps 'p99<1ms' (or p50, p90, p95, p99.9, mean; add ',failures<0.1%')",
        text => [new SearchLoad(LatencyObjective.Parse(text, out var error) ?? throw new UsageException($"--find: {error}"))]);

    public override string Name => Objective.Text;

    public override string Option => Asked.Option;

    public override string Phase => $"of {Option}";

    public override bool VariesRate => true;

    public override string NoRate => "at full load no call was completed, or the time of a call is unknown";

    public override double? RateOf(RunRecord record, PlannedCell cell, int round)
    {
        var run = new MeasuredRun(record);
        return RateSearchResult.Next(run, run.Cells[cell.Index], round);
    }

    /// <summary>Returns more rounds than usual, since the first rounds only approach the rate that the search looks for.</summary>
    public override int Rounds(RunOptions options) => options.Resume is not { } resume
        ? (options.RoundsAuto ? AutoRounds : options.Rounds) + RateSearch.Approach
        : resume.More + Math.Max(resume.LastOfVaried,
            (resume.Kept.Options.RoundsAuto ? AutoRounds : resume.Last) + RateSearch.Approach);

    public override IEnumerable<string> Refusals(RunOptions options, bool isCounted, string command)
    {
        if (options.Calls is not null)
        {
            yield return isCounted ? "--find measures windows of a given time, but -n gives a number of calls: leave out -n"
                : $"--find measures windows of a given time, but {command} measures a number of packets: add -d 1s";
        }
        if (options.Modes.Contains(CallMode.Pull))
            yield return "--find sends at random times, but with --mode pull the server sends at equal intervals: leave out one of the two";
        if (Objective.LongestNs * WindowsOfObjective > options.Duration.TotalNanoseconds)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"--find {Objective.Text} needs a window of at least a hundred times this limit, because queues need time to build up: "
                    + $"add -d {Math.Ceiling(Objective.LongestNs * WindowsOfObjective / 1e6):0}ms or more");
        }
    }

    public override string? Refusal(string mode, string method) => mode != CallMode.Push ? null
        : $"--find needs latencies, but {method} answers no message: leave out --find";
}
