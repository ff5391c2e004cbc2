using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// Plans the load that warms up the servers before the first round. No result of this load is kept. A runtime that has just
/// started compiles its hot methods twice (tiered compilation with profiles). Under its first load, a server costs several
/// times as much per call, and differences between transports look smaller than they are.
/// </summary>
internal static class ServerWarmup
{
    // A server of this tool is fully compiled after 1 to 1.5 s of load (its project file says why). Other .NET servers take 4 to 5 s.
    // A server that was compiled ahead only has to grow its memory.
    private static readonly TimeSpan OfOwn = TimeSpan.FromSeconds(2), OfAhead = TimeSpan.FromSeconds(0.5),
        OfOthers = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Returns how long each server is loaded in each protocol and mode. The time is enough for .NET's tiered compilation, but shorter
    /// in runs with short windows.
    /// </summary>
    public static TimeSpan OfEachServer(RunOptions options)
    {
        var whole = !options.OwnServer || options.Variants.Any(variant => variant.Command is not null) ? OfOthers
            : options.Variants.All(IsCompiledAhead) ? OfAhead : OfOwn;
        return new(Math.Min(whole.Ticks, options.Topologies.Count * Math.Min(options.Warmup.Ticks * 20, options.Duration.Ticks * 5)));
    }

    /// <summary>
    /// Returns how long a new connection of the cell is loaded before it is measured. A connection to a child process is a server
    /// that has just started. Zero for echoes, whose few methods are compiled soon, and for cells without child processes.
    /// </summary>
    public static TimeSpan OfConnection(RunOptions options, PlannedCell cell) =>
        IsOfConnection(cell) ? OfEachServer(options) : TimeSpan.Zero;

    /// <summary>
    /// Returns the cells to load, and the time for each. Three quarters of the time go to cells of the smallest size,
    /// one for each endpoint, client, <c>--chunk</c> and shape. The rest goes to the cells with the most bytes in
    /// flight, one for each endpoint, client and <c>--chunk</c>. If these are the same cells, they get all the time.
    /// </summary>
    /// <param name="cells">The cells of the first phase.</param>
    /// <param name="serverOf">Identifies the server process of a cell.</param>
    public static IReadOnlyList<(PlannedCell Cell, TimeSpan Time)> Plan(
        RunOptions options, IEnumerable<PlannedCell> cells, Func<PlannedCell, object> serverOf)
    {
        var whole = OfEachServer(options);
        if (whole <= TimeSpan.Zero)
            return [];
        var servers = cells.Where(cell => !IsOfConnection(cell)).GroupBy(cell => (serverOf(cell), cell.Load.Protocol, cell.Load.Mode));
        return [.. servers.SelectMany(server => OfServer([.. server], whole))];
    }

    // Each shape runs code of its own, so a server that is fast for one call at a time may be slow for eighty. A server
    // keeps the memory that the most bytes in flight need. Without a warm-up at these bytes in flight, a measured cell
    // would be the first to need this memory.
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

    private static bool IsCompiledAhead(Variant variant) =>
        variant.Knobs.ServerBuild is { } build ? build == "aot" : RuntimeFacts.IsCompiledAhead;

    private static bool IsOfConnection(PlannedCell cell) =>
        cell is { Target.Address: Address.Child, Load.Protocol: not ProtocolTable.Echo };

    private static double BytesUnderWay(PlannedCell cell) => (double)cell.Load.Connections * cell.Load.Streams * cell.Load.Size;
}
