namespace IpcBench.Client.Plan;

/// <summary>
/// Load before the first round whose results are thrown away. A runtime that has just started compiles its hot methods twice (tiered
/// compilation with profiles): for its first seconds under load a server costs nearly twice as much per call, and the cell that happens to
/// come first would pay for it.
/// </summary>
internal static class ServerWarmup
{
    /// <summary>What each server is loaded with altogether: enough for .NET's tiers here; less in runs that are short themselves.</summary>
    public static TimeSpan OfEachServer(RunOptions options) =>
        new(Math.Min(TimeSpan.FromSeconds(5).Ticks, Math.Min(options.Warmup.Ticks * 20, options.Duration.Ticks * 5)));

    /// <summary>Cells to load and for how long each: every endpoint at the smallest size, and shortly at the largest.</summary>
    /// <param name="options">The run.</param>
    /// <param name="cells">The cells of its first phase.</param>
    /// <param name="serverOf">What tells the server processes apart.</param>
    public static IReadOnlyList<(PlannedCell Cell, TimeSpan Time)> Plan(
        RunOptions options, IEnumerable<PlannedCell> cells, Func<PlannedCell, object> serverOf)
    {
        var whole = OfEachServer(options);
        if (whole <= TimeSpan.Zero)
            return [];
        var servers = cells.GroupBy(cell => (serverOf(cell), cell.Load.Client, cell.Load.Protocol));
        return [.. servers.SelectMany(server => OfServer([.. server], whole))];
    }

    private static IEnumerable<(PlannedCell, TimeSpan)> OfServer(IReadOnlyList<PlannedCell> cells, TimeSpan whole)
    {
        var endpoints = cells.GroupBy(cell => cell.Target).Select(target => target.OrderBy(cell => cell.Load.Size).ToList()).ToList();
        var grows = endpoints.Exists(sizes => sizes[^1].Load.Size > sizes[0].Load.Size);
        var share = whole / endpoints.Count;
        foreach (var sizes in endpoints)
            yield return (sizes[0], grows ? share * 0.75 : share);
        foreach (var sizes in grows ? endpoints : [])
            yield return (sizes[^1], share * 0.25);
    }
}
