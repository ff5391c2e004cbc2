using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>A cell that takes turns with other cells, with its open connections and the sums and readings of its slices.</summary>
internal sealed class SlicedArm(RunOptions options, ServerSet servers, PlannedCell cell, LoadGenerator generator) : IAsyncDisposable
{
    // The load before a slice lasts as long as this many calls. By then, the calls that began together at the start
    // have drifted apart.
    private const double LeadInCalls = 1.5;

    private static readonly TimeSpan ShortestLead = TimeSpan.FromMilliseconds(1);

    private readonly LoadSum sum = new();
    private readonly List<double> rates = [], clientCpu = [], serverCpu = [];
    private readonly List<int> order = [];
    private readonly List<WindowSpan> spans = [];
    private bool isServerKnown = true;

    public PlannedCell Cell => cell;

    public LoadGenerator Generator => generator;

    /// <summary>When each slice so far was measured.</summary>
    public IReadOnlyList<WindowSpan> Spans => spans;

    /// <summary>
    /// The median duration of the warm-up's calls in ns. If no call ended, this is the length of the warm-up's window. If
    /// all calls failed, this is 0.
    /// </summary>
    public long CallNs { get; set; }

    /// <summary>Connections of other arms that are open at the same address.</summary>
    public int ConnectionsBeside { get; set; }

    /// <summary>The reason why the first slice with a standstill is spoiled. Empty when no slice had a standstill.</summary>
    public string Standstill { get; private set; } = "";

    /// <summary>The sum of all slices so far, as if they were one window. Null before the first slice.</summary>
    public LoadResult? Result => sum.Result;

    /// <summary>The usage of all slices so far. Null before the first slice.</summary>
    public WindowUsage? Usage { get; private set; }

    /// <summary>Measures one slice. Returns when no call is in flight any more.</summary>
    /// <param name="place">The position of the slice in its block, from 0.</param>
    /// <param name="seed">The seed of the run and the round.</param>
    /// <returns>Why the server cannot be used any more. Null when all is well.</returns>
    public async Task<string?> MeasureAsync(TimeSpan length, int place, long seed, CancellationToken cancellation)
    {
        var address = cell.Target.Address;
        using var counters = new WindowCounters(
            options, servers.Controls[address], servers.OwnerOf(address), () => generator.SystemCalls)
        {
            IsSlice = true,
            ConnectionsBeside = ConnectionsBeside,
        };
        await counters.AskFirstAsync(CancellationToken.None);
        var lead = TimeSpan.FromMicroseconds(LeadInCalls * CallNs / 1e3);
        var window = new LoadWindow
        {
            Lead = lead > ShortestLead ? lead : ShortestLead,
            Duration = length,
            Seed = seed,
            IsContinued = Result is not null,
        };
        var slice = await generator.RunAsync(window, cancellation, counters);
        if (!slice.HasBegun)
            return slice.ServerLost;
        await counters.AskLastAsync();
        Add(slice, counters, place);
        return slice.ServerLost;
    }

    /// <summary>
    /// Called after the last slice. Adds this arm's part of the CPU time that other processes used in the round, in
    /// proportion to the arm's measured time.
    /// </summary>
    public void Finish(OtherUsage? others)
    {
        if (Usage is { Machine: { } machine } && others is not null && Result is { } result)
            Usage = Usage with { Machine = Run.Usage.With(machine, others.Within(TimeSpan.FromMicroseconds(result.WindowNs / 1e3))) };
    }

    /// <summary>Makes the record of the slices for the results file.</summary>
    public SliceReadings Readings(TimeSpan planned) => new()
    {
        PlannedSeconds = planned.TotalSeconds,
        Rates = rates,
        // On Windows, clocks have steps of some 15 ms. The times of single slices are therefore left out, since only
        // their sum has a meaning.
        ClientCpuNs = OperatingSystem.IsLinux() ? clientCpu : null,
        ServerCpuNs = OperatingSystem.IsLinux() && isServerKnown ? serverCpu : null,
        Order = order,
    };

    public ValueTask DisposeAsync() => generator.DisposeAsync();

    private void Add(LoadResult slice, WindowCounters counters, int place)
    {
        // A slice may be credited with a fraction of a call. The sums are rounded and not the slices, so that rounding errors
        // do not add up.
        var before = Result?.Credited ?? 0;
        var calls = (long)(Math.Round(before + slice.Credited) - Math.Round(before));
        var usage = counters.Read(calls, slice.AllOk, cell.Target);
        rates.Add(slice.Credited / (slice.WindowNs / 1e9));
        clientCpu.Add(PerCall(usage.Client.CpuUserNs + usage.Client.CpuKernelNs, slice));
        isServerKnown &= counters.ServerCpuNs is not null;
        serverCpu.Add(PerCall(counters.ServerCpuNs ?? 0, slice));
        order.Add(place);
        spans.Add(counters.Span);
        Usage = Usage?.Plus(usage) ?? usage;
        if (Standstill.Length == 0)
            Standstill = Run.Standstill.Reason(slice with { LeadMedianNs = slice.LeadMedianNs ?? sum.Result?.LeadMedianNs });
        sum.Add(slice);
    }

    private static double PerCall(long cpuNs, LoadResult slice) => slice.Credited > 0 ? cpuNs / slice.Credited : 0;
}

/// <summary>The division of a round's time into slices.</summary>
/// <param name="Count">The number of slices of each arm.</param>
/// <param name="Patience">The time per arm after which no new block begins.</param>
internal sealed record SliceLength(TimeSpan Slice, int Count, TimeSpan Patience)
{
    // A slice lasts at least this many times the median duration of a call.
    private const int Medians = 5;

    // Patience allows the time of this many calls for each slice, for the load before and after the slice.
    private const int EdgesInCalls = 5;

    // On a busy machine, a slice may take up to this many times as long as planned.
    private const double MostDelay = 4;
    private static readonly TimeSpan Start = TimeSpan.FromSeconds(1);

    /// <param name="callNs">The median duration of a call of the slowest arm, in ns.</param>
    public static SliceLength For(RunOptions options, long callNs)
    {
        var call = TimeSpan.FromMicroseconds(callNs / 1e3);
        var slice = options.Slice > Medians * call ? options.Slice : Medians * call;
        var count = Math.Max(1, (int)(options.Duration / slice + 1e-6));
        // The slices use the whole time of the round. Slow calls lengthen the round, unless the user gave its duration.
        if (slice < options.Duration || options.FixedDuration)
            slice = options.Duration / count;
        return new(slice, count, Start + MostDelay * count * (slice + EdgesInCalls * call));
    }
}
