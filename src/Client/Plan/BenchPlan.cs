using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>All cells of a run, and the order in which each round measures them.</summary>
internal sealed class BenchPlan
{
    /// <summary>The time of a cell beyond its warm-up and window: connecting, draining, reading the server's counters.</summary>
    public static readonly TimeSpan CellOverhead = TimeSpan.FromMilliseconds(180);

    /// <summary>The time to end and start a server of this tool.</summary>
    private static readonly TimeSpan ServerStart = TimeSpan.FromMilliseconds(600);

    /// <summary>
    /// The time of a slice beyond its length: load before and after it, calls that must end, reading the server's
    /// counters. Slow calls take longer.
    /// </summary>
    private static readonly TimeSpan SliceOverhead = TimeSpan.FromMilliseconds(45);

    // Estimates the time of large replies. It was measured on a local socket with replies of 1 MB over 400 connections on two CPUs.
    private const double BytesPerSecond = 1.5e9;

    private readonly RunOptions options;

    public BenchPlan(RunOptions options, IReadOnlyList<Target> targets)
    {
        this.options = options;
        Cells = [.. Combine(options, targets).Select((cell, index) => cell with { Index = index })];
        Phases = [.. Cells.GroupBy(cell => cell.Given?.Phase ?? "").Select(PhaseOf)];
    }

    /// <summary>All cells in the order of reports: by size, then by transport as given.</summary>
    public IReadOnlyList<PlannedCell> Cells { get; }

    // A claim is about two metrics, the headline metric and the CPU per call.
    private const int MetricsOfClaim = 2;

    /// <summary>The number of comparisons between arms by their headline metric, see <see cref="ClaimFamily"/>.</summary>
    public int Claims => Cells.Count == 0 ? 0
        : ClaimFamily.Pairs([.. Cells.Select(cell => cell.Record.Key)], ReferenceArm.Choose(options, this)).Count;

    /// <summary>The smallest number of rounds that can give a verdict. 1 without comparisons.</summary>
    public int FewestRounds => Claims == 0 ? 1
        : Joint.FewestRounds(options.RoundsAuto || options.Resume is not null, MetricsOfClaim * Claims);

    /// <summary>The phases in their order. The first is at full load or at the rate of -R, and the phases of given loads follow.</summary>
    public IReadOnlyList<Phase> Phases { get; }

    /// <summary>Rounds that are measured now, in all phases.</summary>
    public int RoundsInAll => Phases.Sum(phase => phase.Rounds);

    /// <summary>
    /// Rounds of the first phase that are measured now. A kept run that ended early may have more rounds to measure
    /// in the other phases.
    /// </summary>
    public int FirstRounds => Phases is [var first, ..] ? first.Rounds : 0;

    /// <summary>Cells of the first phase, at full load or at the rate of -R.</summary>
    public IReadOnlyList<PlannedCell> FirstPhase => Phases is [var first, ..] ? first.Cells : [];

    /// <summary>
    /// The time that the planned rounds will take. Null when measurements end after a number of calls, since their duration is unknown.
    /// </summary>
    public TimeSpan? Estimate => options.Calls is not null
        ? null
        : Starting + (RoundsInAll - 1) * BetweenRounds
            + Cells.Aggregate(TimeSpan.Zero, (sum, cell) => sum + RoundsOf(cell) * TimeOf(cell));

    /// <summary>True when some cells take turns.</summary>
    public bool HasSlices => FirstPhase.GroupBy(cell => Workload.Of(cell.Record.Key)).Any(compared => InTurns([.. compared]));

    /// <summary>Returns the duration of a measurement of the cell, when it ends after a time.</summary>
    public TimeSpan TimeOf(PlannedCell cell)
    {
        var whole = options.Warmup + options.Duration + CellOverhead;
        if (!InTurns([.. Cells.Where(other => Workload.Of(other.Record.Key) == Workload.Of(cell.Record.Key))]))
            return whole;
        // A slice of slow calls is as long as five calls, and its edges are as long as four calls.
        var load = cell.Load;
        var slow = 9 * TimeSpan.FromSeconds(load.Connections * (double)load.Streams * load.Size / BytesPerSecond);
        return whole + SlicesOf(options.Slice) * SliceOverhead
            + (slow > options.Duration && !options.FixedDuration ? slow - options.Duration : TimeSpan.Zero);
    }

    /// <summary>Returns the number of slices of this length per cell and round: as many as fit, and at least one.</summary>
    public int SlicesOf(TimeSpan slice) => Math.Max(1, (int)(options.Duration / slice + 1e-6));

    /// <summary>The number of measurements in this run.</summary>
    public int Measurements => Cells.Sum(RoundsOf);

    /// <summary>Returns how many rounds of this cell are measured now. All cells of a phase have the same number.</summary>
    public int RoundsOf(PlannedCell cell) => Phases.First(phase => phase.Name == (cell.Given?.Phase ?? "")).Rounds;

    /// <summary>The time between rounds, in which all servers are started anew if each round has its own.</summary>
    public TimeSpan BetweenRounds => options.FreshServers ? Starting : TimeSpan.Zero;

    // A phase of a kept run continues after its own last round.
    private Phase PhaseOf(IGrouping<string, PlannedCell> phase)
    {
        var indexes = phase.Select(cell => cell.Index).ToHashSet();
        var made = options.Resume?.Kept.Rounds.Where(round => indexes.Contains(round.Cell)).Select(round => round.Number) ?? [];
        var rounds = phase.First().Given?.Rounds(options) ?? options.Rounds;
        return new(phase.Key, [.. phase], Math.Max(0, rounds - made.DefaultIfEmpty(0).Max()), rounds);
    }

    private TimeSpan Starting => Servers * ServerStart + WarmUps * ServerWarmup.OfEachServer(options);

    // Each server is warmed up in every protocol and mode (ServerWarmup).
    private int WarmUps => FirstPhase.Select(cell => (ServerOf(cell.Target), cell.Load.Protocol, cell.Load.Mode)).Distinct().Count();

    // One process for each transport if commands start the servers.
    private int Servers => options.Variants.Sum(variant => variant.Command is null ? 1 : options.Transports.Count);

    private object ServerOf(Target target) => !options.OwnServer ? target.Address
        : target.Variant.Command is null ? target.Variant : (target.Variant, target.Address.Kind);

    /// <summary>
    /// Returns the cells of a round in an order that depends on seed and round number only. Compared cells follow each other.
    /// </summary>
    public IReadOnlyList<PlannedCell> Order(IEnumerable<PlannedCell> phase, int round) =>
        RoundOrder.Shuffle(phase, cell => Workload.Of(cell.Record.Key), options.Seed, round);

    /// <summary>
    /// Returns the measurements of a round in their order. Each entry is a single cell in a window, or all cells of a
    /// comparison, which take turns.
    /// </summary>
    public IReadOnlyList<IReadOnlyList<PlannedCell>> Turns(IEnumerable<PlannedCell> phase, int round)
    {
        var turns = new List<IReadOnlyList<PlannedCell>>();
        foreach (var compared in Order(phase, round).GroupBy(cell => Workload.Of(cell.Record.Key)))
        {
            if (InTurns([.. compared]))
                turns.Add([.. compared]);
            else
                turns.AddRange(compared.Select(cell => (PlannedCell[])[cell]));
        }
        return turns;
    }

    /// <summary>
    /// True when the cells of a comparison take turns in slices. They do not if a measurement is a number of calls,
    /// if each call has a connection, at a given rate, with one-way messages or with <c>--watch</c>. At a given rate,
    /// a slice would hide a growing queue. Streams of one-way messages outlive slices. <c>--watch</c> counts
    /// connections by state, and the connections of a cell are idle between its slices. HTTP/2 servers keep idle
    /// connections, but other servers of the user may close them.
    /// </summary>
    public bool InTurns(IReadOnlyList<PlannedCell> cells) =>
        options.Slice > TimeSpan.Zero && options is { Calls: null, Rate: null, Watches: [] } && cells.Count > 1
        && cells.All(cell => cell is { Given: null, Load: { ConnectPerCall: false, Flow: Flow.Both } }
            && (options.OwnServer || options.FixedSlice || ProtocolTable.IsGrpcServed(cell.Load.Protocol)))
        && OpenFileLimit.Raise().Allows(cells.Sum(cell => cell.Load.Connections));

    private static IEnumerable<PlannedCell> Combine(RunOptions options, IReadOnlyList<Target> targets) =>
        from given in options.Loads.Prepend(null)
        from cells in options.Sets
        from size in Sizes(cells, targets)
        from target in targets
        where cells.HasPipe || target.Address.Kind != "pipe"
        from client in cells.Clients
        from mode in target.Call is { } call ? [CallMode.For(call)] : options.Modes
        where !IsLeftOut(options, client, mode)
        from chunk in mode == CallMode.Pull && target.Call is null ? options.Chunks : [0]
        from perCall in options.ConnectPerCall
        select Make(options, target, (client, mode, chunk, perCall), size, cells.Topology, given);

    /// <summary>
    /// True for other clients than wire when they are a default. Only the wire client measures the messages of a streaming method.
    /// </summary>
    private static bool IsLeftOut(RunOptions options, string client, string mode) =>
        options.Call is not null && mode != CallMode.Unary && options.Shapes.Count > 0 && client != ProtocolTable.Wire;

    /// <summary>
    /// Returns the sizes of the cells. The size of an HTTP/1.1 reply is unknown before the first request, so arms are
    /// compared at the largest of their sizes. A method has the size of its given requests.
    /// </summary>
    private static IReadOnlyList<long> Sizes(CellSet cells, IReadOnlyList<Target> targets)
    {
        if (targets.Any(target => target.Request is not null))
            return [targets.Max(target => target.Request?.Size ?? 0)];
        return targets is [{ Call: { } call }, ..] ? [call.Size] : cells.Sizes;
    }

    private static PlannedCell Make(
        RunOptions options, Target target, (string Client, string Mode, long Chunk, bool PerCall) how, long size, Topology topology,
        GivenLoad? given)
    {
        var messages = CallMode.IsStream(how.Mode) ? options.Messages : 0;
        string[] variant = [target.Variant.Name, target.Mark, how.PerCall ? "connect-per-call" : "",
            messages > 0 ? string.Create(CultureInfo.InvariantCulture, $"messages={messages}") : "",
            how.Chunk > 0 ? string.Create(CultureInfo.InvariantCulture, $"chunk={how.Chunk}") : ""];
        var key = new CellKey
        {
            Transport = target.Address.Kind,
            Protocol = target.Protocol,
            Client = how.Client,
            Mode = how.Mode == CallMode.Unary ? "" : how.Mode,
            Method = target.Call?.Method ?? "",
            Corpus = target.Call?.Corpus[..12] ?? "",
            Size = size,
            Connections = topology.Connections,
            Streams = topology.Streams,
            Load = LoadName(given, options.Rate),
            Variant = string.Join(' ', variant.Where(part => part.Length > 0)),
        };
        var load = new LoadOptions
        {
            Address = target.Address,
            Size = target.Request?.Size ?? target.ReplySize ?? size,
            Request = target.Request,
            Call = target.Call,
            Connections = topology.Connections,
            Streams = topology.Streams,
            Threads = Math.Min(options.Threads, topology.Connections),
            Timeout = target.Call?.Deadline is { } deadline && deadline < options.Timeout ? deadline : options.Timeout,
            Connector = target.Variant.Knobs.Connector(options.Connector),
            OnLoops = target.Variant.Knobs.ClientSockets == "loop",
            Http2Window = target.Variant.Knobs.Http2Window,
            Client = how.Client,
            Protocol = target.Protocol,
            Mode = how.Mode,
            Messages = messages,
            Chunk = how.Chunk,
            ConnectPerCall = how.PerCall,
        };
        string[] notes =
        [
            target.Note,
            load.OnLoops && target.Address is Address.Pipe ? "System.Net.Sockets here: a pipe is no socket" : "",
            target.Call is null || load.Flow == Flow.Both ? ""
                : "no latency: its one-way messages have no time stamp",
        ];
        var record = new Cell
        {
            Key = key,
            Address = target.Request?.Url ?? target.Address.ToString(),
            Note = string.Join("; ", notes.Where(note => note.Length > 0)),
        };
        return new PlannedCell(0, record, target, load, given);
    }

    private static string LoadName(GivenLoad? given, double? rate) => given?.Name
        ?? (rate is { } perSecond ? string.Create(CultureInfo.InvariantCulture, $"{perSecond:0.##}/s") : CellKey.FullLoad);
}

/// <summary>An endpoint to measure, with marks that distinguish it from other endpoints of the same kind.</summary>
/// <param name="Address">The address at which the endpoint listens.</param>
/// <param name="Variant">The knobs of the endpoint.</param>
/// <param name="Mark">A mark besides the knobs: <c>a/a</c>, or <c>#2</c> for the second address of a kind. Otherwise empty.</param>
/// <param name="Note">A note about the endpoint for readers of reports.</param>
/// <param name="Protocol">The protocol, see <see cref="IpcBench.Analysis.Results.CellKey.Protocol"/>.</param>
/// <param name="Request">The request of an HTTP/1.1 call. Null for other protocols.</param>
/// <param name="Call">The method to call. Null means <c>Bench.Download</c>.</param>
/// <param name="ReplySize">Bytes of the method's first reply. Null when there is none.</param>
internal sealed record Target(
    Address Address, Variant Variant, string Mark = "", string Note = "", string Protocol = "grpc", HttpRequest? Request = null,
    GrpcCall? Call = null, long? ReplySize = null);

/// <summary>A cell of the plan, ready to be measured.</summary>
/// <param name="Index">The index of the cell in <see cref="RunRecord.Cells"/>.</param>
/// <param name="Record">The cell as the file describes it.</param>
/// <param name="Load">The connections and requests of the cell.</param>
/// <param name="Given">The load of the cell's phase after the rounds at full load. Null in the first phase.</param>
internal sealed record PlannedCell(int Index, Cell Record, Target Target, LoadOptions Load, GivenLoad? Given = null)
{
    /// <summary>The name of the cell in notes, such as <c>unix, 1 MB, 400 connections</c>.</summary>
    public string Name => $"{Record.Key.Arm}, {WorkloadName}";

    /// <summary>The name of its comparison in notes, such as <c>1 MB, 400 connections</c>.</summary>
    public string WorkloadName => $"{Record.Key.Work}, {Quantity.Many(Load.Connections, "connection")}";
}

/// <summary>
/// Decides the order of measurements. Every round measures every cell once, in an order that depends on the seed
/// only. The state of a machine lasts for seconds, so compared cells are measured together: randomized blocks (R. A.
/// Fisher, The Design of Experiments, 1935).
/// </summary>
internal static class RoundOrder
{
    /// <summary>Shuffles by Fisher-Yates with SplitMix64, so that a printed seed gives the same order on every runtime version.</summary>
    /// <param name="blockOf">
    /// Returns the block of a cell. Cells of the same block stay together: the blocks are shuffled, and the cells within each block.
    /// </param>
    public static IReadOnlyList<T> Shuffle<T>(IEnumerable<T> cells, Func<T, object> blockOf, long seed, int round)
    {
        var random = new SplitMix64(unchecked((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round));
        var blocks = cells.GroupBy(blockOf).Select(block => block.ToArray()).ToArray();
        Shuffle(blocks, ref random);
        foreach (var block in blocks)
            Shuffle(block, ref random);
        return [.. blocks.SelectMany(block => block)];
    }

    /// <summary>Returns the order of the items in each block of slices of a round. Blocks have different orders.</summary>
    /// <param name="items">The items that take turns.</param>
    public static IEnumerable<IReadOnlyList<T>> Blocks<T>(IReadOnlyList<T> items, long seed, int round)
    {
        // The random numbers differ from those for the order of the cells.
        var random = new SplitMix64(unchecked(~((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round)));
        while (true)
        {
            T[] order = [.. items];
            Shuffle(order, ref random);
            yield return order;
        }
    }

    private static void Shuffle<T>(T[] order, ref SplitMix64 random)
    {
        for (var i = order.Length - 1; i > 0; i--)
        {
            var j = (int)(random.Next() % (ulong)(i + 1));
            (order[i], order[j]) = (order[j], order[i]);
        }
    }
}
