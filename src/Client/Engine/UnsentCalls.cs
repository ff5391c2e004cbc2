using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>
/// The calls of an open loop that were due in the window and never sent, because every stream was busy until its end. Left out, the
/// slowest calls would be missing from the latencies. What is known of each is that it had not even begun when the window ended: that
/// wait is its lower bound.
/// </summary>
/// <param name="endNs">Of the window; what is due from then on is not missing.</param>
/// <param name="most">No more calls than these were to be sent.</param>
internal sealed class UnsentCalls(long endNs, long most)
{
    private const long MostSingly = 1_000_000, Groups = 100_000;

    /// <summary>From when they were due to the end of the window.</summary>
    public LatencyHistogram Waits { get; } = new();

    /// <param name="dues">When the calls were due that streams had claimed and did not send.</param>
    public void AddClaimed(IEnumerable<long> dues)
    {
        foreach (var due in dues)
        {
            if (due < endNs && Waits.Count < most)
                Waits.Record(endNs - due);
        }
    }

    /// <summary>Claims what nobody has claimed.</summary>
    /// <param name="pacer">Nobody else asks it any more.</param>
    /// <param name="perSecond">Its mean.</param>
    public void AddUnclaimed(Pacer pacer, double perSecond)
    {
        while (Waits.Count < most && pacer.Claim(endNs) is var due && due < endNs)
        {
            if (Waits.Count >= MostSingly)
            {
                AddEvenly(due, perSecond);
                return;
            }
            Waits.Record(endNs - due);
        }
    }

    /// <summary>A rate far beyond all that can be sent leaves billions: in groups, each with its shortest wait.</summary>
    private void AddEvenly(long firstDue, double perSecond)
    {
        var left = Math.Min(most - Waits.Count, (long)Math.Ceiling((endNs - firstDue) * (perSecond / 1e9)));
        var step = left / Groups + 1;
        for (var from = 0L; from < left; from += step)
        {
            var count = Math.Min(step, left - from);
            Waits.Record(endNs - firstDue - ConstantPacer.OffsetNs(from + count - 1, perSecond), count);
        }
    }
}
