namespace IpcBench.Client.Plan;

/// <summary>
/// Plans the load before the first round. Its results are thrown away. A runtime that has just started compiles its
/// hot methods twice (tiered compilation with profiles). Under its first load, a server costs several times as much
/// per call, and differences between transports look smaller than they are.
/// </summary>
internal static class ServerWarmup
{
    // A server of this tool is settled after 1 to 1.5 s of load (its project file says why). Other servers of .NET take 4 to 5 s.
    private static readonly TimeSpan OfOwn = TimeSpan.FromSeconds(2), OfOthers = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Returns the time of load for each server in each protocol and mode. It is enough for .NET's tiers, and less in
    /// runs that are short themselves.
    /// </summary>
    public static TimeSpan OfEachServer(RunOptions options)
    {
        var whole = options.OwnServer && options.Variants.All(variant => variant.Command is null) ? OfOwn : OfOthers;
        return new(Math.Min(whole.Ticks, options.Topologies.Count * Math.Min(options.Warmup.Ticks * 20, options.Duration.Ticks * 5)));
    }

    /// <summary>
    /// Returns the cells to load and for how long each. Every endpoint is loaded by each client, in each shape of
    /// load and in each way its replies are cut, at the smallest size, and then shortly with the most bytes in
    /// flight.
    /// </summary>
    /// <param name="cells">The cells of the first phase.</param>
    /// <param name="serverOf">Identifies the server process of a cell.</param>
    public static IReadOnlyList<(PlannedCell Cell, TimeSpan Time)> Plan(
        RunOptions options, IEnumerable<PlannedCell> cells, Func<PlannedCell, object> serverOf)
    {
        var whole = OfEachServer(options);
        if (whole <= TimeSpan.Zero)
            return [];
        var servers = cells.GroupBy(cell => (serverOf(cell), cell.Load.Protocol, cell.Load.Mode));
        return [.. servers.SelectMany(server => OfServer([.. server], whole))];
    }

    // Each shape runs code of its own, so a server that is fast for one call at a time may be slow for eighty. The
    // cell with the most bytes in flight is included since the server keeps the memory for them. Otherwise a measured
    // cell would be the first to need this memory.
    private static IEnumerable<(PlannedCell, TimeSpan)> OfServer(IReadOnlyList<PlannedCell> cells, TimeSpan whole)
    {
        var small = cells.GroupBy(cell => (cell.Target, cell.Load.Client, cell.Load.Chunk, cell.Load.Connections, cell.Load.Streams))
            .Select(shape => shape.MinBy(cell => cell.Load.Size)!).ToList();
        var large = cells.GroupBy(cell => (cell.Target, cell.Load.Client, cell.Load.Chunk))
            .Select(endpoint => endpoint.MaxBy(BytesUnderWay)!).Except(small).ToList();
        var time = large.Count > 0 ? whole * 0.75 : whole;
        foreach (var cell in small)
            yield return (cell, time / small.Count);
        foreach (var cell in large)
            yield return (cell, (whole - time) / large.Count);
    }

    private static double BytesUnderWay(PlannedCell cell) => (double)cell.Load.Connections * cell.Load.Streams * cell.Load.Size;
}
