using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Doubts about a run as a whole.</summary>
internal static class RunDoubts
{
    private const double LeastSlowdown = 0.15;
    private const double LeastCacheSpread = 1.5;

    /// <summary>
    /// Reports that the A/A test failed. The reference differs from itself when it is measured twice, so no other
    /// comparison can be trusted.
    /// </summary>
    public static Advice? AaFailed(MeasuredRun run) => AaTest.Compute(run) is { Failed: true } test
        ? OfAa(run, "aa-failed",
            $"The A/A test failed: two measurements of the same endpoint differ over {Quantity.Many(test.Cells, "cell")} "
                + Invariant($"(p = {test.PValue:0.0000}, limit {AaTest.Level})."),
            "Trust no comparison of this run. Find out what favours one endpoint, and repeat the run.")
        : null;

    /// <summary>Reports that the A/A test has too few rounds to fail.</summary>
    public static Advice? AaTooFew(MeasuredRun run) => AaTest.Compute(run) is { Failed: false, CanFail: false } test
        ? OfAa(run, "aa-too-few-rounds", $"The A/A test over {Quantity.Many(test.Cells, "cell")} cannot fail with so few rounds.",
            "Run at least 12 rounds with --against-itself.")
        : null;

    public static Advice? Incomplete(MeasuredRun run)
    {
        var ending = run.Record.Ending;
        return ending == RunEnding.Complete ? null : new Advice
        {
            Id = "incomplete",
            Doubt = $"The run {HowIt(ending)} after {Quantity.Many(run.CommonRounds, "round")} of every cell"
                + (run.Cells.Any(cell => cell.Key.VariesRate) ? " at full load" : "")
                + (RunEnding.Failure(ending) is { } why ? ": " + why : ""),
            Fix = "Repeat the run to its end to get verdicts.",
        };
    }

    private static string HowIt(string ending) => ending == RunEnding.Running ? "still runs, or was killed,"
        : RunEnding.Failure(ending) is null ? "was interrupted" : "failed";

    /// <summary>
    /// Reports that the fixed loop before a cell took longer than usual, which shows that the machine was slower at that time.
    /// </summary>
    public static Advice? Throttling(MeasuredRun run)
    {
        var timed = run.Cells.SelectMany(cell => cell.Rounds.Select(r => (cell.Index, r.Record.FixedLoopNs)))
            .Where(entry => entry.FixedLoopNs > 0).ToList();
        if (timed.Count < 5)
            return null;
        var usual = RatioEstimate.Median(timed.Select(entry => (double)entry.FixedLoopNs));
        var wander = RatioEstimate.Median(timed.Select(entry => Math.Abs(entry.FixedLoopNs - usual)));
        // On shared machines the time always varies by about 3 %. So only a time that is both 15 % and six standard
        // deviations above the usual time is reported.
        var limit = usual + Math.Max(LeastSlowdown * usual, 6 * 1.4826 * wander);
        var slow = timed.Where(entry => entry.FixedLoopNs > limit).ToList();
        if (slow.Count == 0)
            return null;
        var worst = slow.Max(entry => entry.FixedLoopNs);
        return new Advice
        {
            Id = "throttling",
            Doubt = Invariant($"Before {slow.Count} of {timed.Count} measurements a fixed loop took up to {Quantity.Duration(worst)} ")
                + $"instead of {Quantity.Duration(usual)}: the machine was slower then.",
            Fix = "Let the machine cool down, use the governor 'performance', stop other guests, or run more rounds.",
            Cells = [.. slow.Select(entry => entry.Index).Distinct().Order()],
        };
    }

    /// <summary>
    /// Reports that the walk through 4 MiB was slow before some measurements. The usual reason is that other programs
    /// filled the last-level cache.
    /// </summary>
    public static Advice? SharedCache(MeasuredRun run)
    {
        double[] steps = [.. run.Cells.SelectMany(cell => cell.Rounds).Select(r => r.Record.MemoryStepNs).Where(ns => ns > 0).Order()];
        if (steps.Length < 8)
            return null;
        var (lower, upper) = (steps[steps.Length / 4], steps[steps.Length * 3 / 4]);
        return upper < LeastCacheSpread * lower ? null : new Advice
        {
            Id = "shared-cache",
            Doubt = "Memory was slower at times, as when other programs fill the processor's cache: before a quarter of the measurements "
                + Invariant($"a walk through 4 MiB took less than {lower:0} ns per step, before another quarter more than {upper:0}. ")
                + "Calls over many connections may have cost more at these times.",
            Fix = "Use ratios, which compare arms within a round, instead of single figures, or use a machine without other load.",
        };
    }

    /// <summary>Reports that TLS is compared with transports without encryption.</summary>
    public static Advice? TlsCompared(MeasuredRun run)
    {
        var tls = CellsOf(run, "tls");
        return tls.Count == 0 || tls.Count == run.Cells.Count ? null : new Advice
        {
            Id = "tls-compared",
            Doubt = "TLS encrypts and the other transports here do not: the difference is the cost of encryption, not of a transport.",
            Fix = "Compare TLS with TLS, or read the rows of TLS as TCP with encryption.",
            Cells = tls,
        };
    }

    /// <summary>Reports that a .NET named pipe is a Unix socket, except on Windows.</summary>
    public static Advice? PipeIsSocket(MeasuredRun run)
    {
        var pipes = CellsOf(run, "pipe");
        return pipes.Count == 0 || run.HasNamedPipes ? null : new Advice
        {
            Id = "pipe-is-socket",
            Doubt = "On this system, the transport pipe is a Unix socket behind .NET's pipe API: these rows say nothing about named "
                + "pipes on Windows.",
            Fix = "Measure on Windows to learn about named pipes.",
            Cells = pipes,
        };
    }

    private static Advice OfAa(MeasuredRun run, string id, string doubt, string fix) => new()
    {
        Id = id,
        Doubt = doubt,
        Fix = fix,
        Cells = [.. run.Cells.Where(cell => AaTest.IsAa(cell.Key)).Select(cell => cell.Index)],
    };

    private static List<int> CellsOf(MeasuredRun run, string transport) =>
        [.. run.Cells.Where(cell => cell.Key.Transport == transport).Select(cell => cell.Index)];
}
