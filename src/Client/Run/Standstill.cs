using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Run;

/// <summary>
/// Judges whether this program or the server stood still in a window: because of a signal (Ctrl-Z, SIGSTOP), a paused
/// container, or a suspended machine. Works alike on every system, since only the clock and the calls are used.
/// </summary>
internal static class Standstill
{
    /// <summary>
    /// A program counts as stopped if the window was longer than planned by more than this time, and by more than a tenth
    /// of the planned length. A smaller delay may come from a thread that wakes late on a busy machine.
    /// </summary>
    private const long LateNs = 100_000_000;

    /// <summary>
    /// A standstill has at least this many consecutive intervals of <see cref="Measurement.BucketNs"/> in which no
    /// call ended. Fewer empty intervals may be chance.
    /// </summary>
    private const int FewestEmpty = 3;

    /// <summary>A standstill is long enough for at least this many calls at the mean pace of the intervals with calls.</summary>
    private const int FewestMissing = 100;

    // A standstill lasts at least this many times the median duration of a call, since slow calls end in waves.
    private const int Medians = 4;

    /// <summary>Returns why the window is spoiled, with the numbers. Empty when the window is not spoiled.</summary>
    public static string Reason(LoadResult window)
    {
        if (window.PlannedNs is not { } planned)
            return "";
        if (window.WindowNs - planned > Math.Max(LateNs, planned / 10))
        {
            return string.Create(CultureInfo.InvariantCulture,
                $"the window took {window.WindowNs / 1e9:0.##} s instead of {planned / 1e9:0.##} s: ")
                + "this tool or the machine was stopped";
        }
        var whole = window.Buckets.Take((int)(window.WindowNs / Measurement.BucketNs)).ToList();
        var silent = LongestEmpty(whole);
        var pace = whole.Sum() / (double)Math.Max(1, whole.Count(calls => calls > 0));
        return silent < FewestEmpty || silent * pace < FewestMissing || silent * Measurement.BucketNs < Medians * window.LeadMedianNs
            ? ""
            : string.Create(CultureInfo.InvariantCulture,
                $"no call ended for {silent * Measurement.BucketNs / 1e9:0.#} s, ")
                + string.Create(CultureInfo.InvariantCulture, $"but before or after this pause {pace * 1e9 / Measurement.BucketNs:0} ")
                + "calls per second ended: the server or this tool was stopped, or the server did something else";
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
