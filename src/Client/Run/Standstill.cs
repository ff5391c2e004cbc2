using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Run;

/// <summary>
/// Judges whether this program or the server stood still in a window: stopped by a signal (Ctrl-Z, SIGSTOP), in a paused container, or with
/// the suspended machine. It works alike on every system, since it uses only the clock and the calls.
/// </summary>
internal static class Standstill
{
    /// <summary>A thread may wake late on a busy machine; a window that is longer by more than this and a tenth was stopped.</summary>
    private const long LateNs = 100_000_000;

    /// <summary>Fewer consecutive intervals of <see cref="Measurement.BucketNs"/> without an ended call are chance.</summary>
    private const int FewestEmpty = 3;

    /// <summary>At the pace of the rest of the window, at least so many calls would have ended meanwhile.</summary>
    private const int FewestMissing = 100;

    // Slow calls end in waves.
    private const int Medians = 4;

    /// <summary>Why the window is spoiled, with the numbers; empty when it is not.</summary>
    public static string Reason(LoadResult window)
    {
        if (window.PlannedNs is not { } planned)
            return "";
        if (window.WindowNs - planned > Math.Max(LateNs, planned / 10))
        {
            return string.Create(CultureInfo.InvariantCulture,
                $"the window took {window.WindowNs / 1e9:0.##} s instead of {planned / 1e9:0.##} s: ")
                + "this program or the machine was stopped";
        }
        var whole = window.Buckets.Take((int)(window.WindowNs / Measurement.BucketNs)).ToList();
        var silent = LongestEmpty(whole);
        var pace = whole.Sum() / (double)Math.Max(1, whole.Count(calls => calls > 0));
        return silent < FewestEmpty || silent * pace < FewestMissing || silent * Measurement.BucketNs < Medians * window.LeadMedianNs
            ? ""
            : string.Create(CultureInfo.InvariantCulture,
                $"no call ended for {silent * Measurement.BucketNs / 1e9:0.#} s, ")
                + string.Create(CultureInfo.InvariantCulture, $"at a pace of {pace * 1e9 / Measurement.BucketNs:0} a second ")
                + "before or after: the server or this program was stopped, or the server did something else";
    }

    private static int LongestEmpty(IEnumerable<long> buckets)
    {
        var (longest, empty) = (0, 0);
        foreach (var calls in buckets)
        {
            empty = calls == 0 ? empty + 1 : 0;
            longest = Math.Max(longest, empty);
        }
        return longest;
    }
}
