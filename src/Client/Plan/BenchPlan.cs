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

/// <summary>All cells of a run, and in which order each round visits them.</summary>
internal sealed class BenchPlan
{
    /// <summary>Connecting, draining, asking the server for its counters: what a cell takes beyond its warm-up and window.</summary>
    public static readonly TimeSpan CellOverhead = TimeSpan.FromMilliseconds(180);

    /// <summary>A server of our own ends and starts.</summary>
    private static readonly TimeSpan ServerStart = TimeSpan.FromMilliseconds(600);

    /// <summary>
    /// What a slice takes beyond its length: load before and after it, calls that end, the server's counters. Longer where calls are slow.
    /// </summary>
    private static readonly TimeSpan SliceOverhead = TimeSpan.FromMilliseconds(45);

    // What a local socket carried with replies of 1 MB over 400 connections on two CPUs, to estimate how long such a call takes.
    private const double BytesPerSecond = 1.5e9;

    private readonly RunOptions options;

    public BenchPlan(RunOptions options, IReadOnlyList<Target> targets)
    {
        this.options = options;
        Cells = [.. Combine(options, targets).Select((cell, index) => cell with { Index = index })];
        Phases = [.. Cells.GroupBy(cell => cell.Given?.Phase ?? "").Select(PhaseOf)];
    }

    /// <summary>Every cell, in the order in which reports show them: by size, then as the transports were named.</summary>
    public IReadOnlyList<PlannedCell> Cells { get; }

    // What arms are judged by, and the CPU of a call.
    private const int MetricsOfClaim = 2;

    /// <summary>How many comparisons of arms are judged, by what arms are judged by: see <see cref="ClaimFamily"/>.</summary>
    public int Claims => Cells.Count == 0 ? 0
        : ClaimFamily.Pairs([.. Cells.Select(cell => cell.Record.Key)], ReferenceArm.Of(options, this)).Count;

    /// <summary>The fewest rounds with which any of them can; 1 where nothing is compared.</summary>
    public int FewestRounds => Claims == 0 ? 1
        : Joint.FewestRounds(options.RoundsAuto || options.Resume is not null, MetricsOfClaim * Claims);

    /// <summary>The phases in their order: the first at full load or at the rate of -R, then those of given loads.</summary>
    public IReadOnlyList<Phase> Phases { get; }

    /// <summary>Rounds that are measured now, those of all phases.</summary>
    public int RoundsInAll => Phases.Sum(phase => phase.Rounds);

    /// <summary>Those of the first phase. A kept run that ended early misses more of the others.</summary>
    public int FirstRounds => Phases is [var first, ..] ? first.Rounds : 0;

    /// <summary>Cells of the saturation (or given rate) phase.</summary>
    public IReadOnlyList<PlannedCell> FirstPhase => Phases is [var first, ..] ? first.Cells : [];

    /// <summary>
    /// How long the planned rounds will take; null when a number of calls ends each measurement, since nobody knows how long they take.
    /// </summary>
    public TimeSpan? Estimate => options.Calls is not null
        ? null
        : Starting + (RoundsInAll - 1) * BetweenRounds
            + Cells.Aggregate(TimeSpan.Zero, (sum, cell) => sum + RoundsOf(cell) * TimeOf(cell));

    /// <summary>Whether any cells take turns.</summary>
    public bool HasSlices => FirstPhase.GroupBy(cell => Workload.Of(cell.Record.Key)).Any(compared => InTurns([.. compared]));

    /// <summary>How long one measurement of the cell takes where a time ends it.</summary>
    public TimeSpan TimeOf(PlannedCell cell)
    {
        var whole = options.Warmup + options.Duration + CellOverhead;
        if (!InTurns([.. Cells.Where(other => Workload.Of(other.Record.Key) == Workload.Of(cell.Record.Key))]))
            return whole;
        // A slice of slow calls is as long as five of them, and its edges take as long as four.
        var load = cell.Load;
        var slow = 9 * TimeSpan.FromSeconds(load.Connections * (double)load.Streams * load.Size / BytesPerSecond);
        return whole + SlicesOf(options.Slice) * SliceOverhead
            + (slow > options.Duration && !options.FixedDuration ? slow - options.Duration : TimeSpan.Zero);
    }

    /// <summary>How many slices of that length a round has of each cell: as many as its time holds, and at least one.</summary>
    public int SlicesOf(TimeSpan slice) => Math.Max(1, (int)(options.Duration / slice + 1e-6));

    /// <summary>How many measurements there will be.</summary>
    public int Measurements => Cells.Sum(RoundsOf);

    /// <summary>The rounds that are measured now of this cell, as of all others of its phase.</summary>
    public int RoundsOf(PlannedCell cell) => Phases.First(phase => phase.Name == (cell.Given?.Phase ?? "")).Rounds;

    /// <summary>What starting all servers anew takes, which a round after the first begins with.</summary>
    public TimeSpan BetweenRounds => options.FreshServers ? Starting : TimeSpan.Zero;

    // A phase of a kept run goes on behind its own last round.
    private Phase PhaseOf(IGrouping<string, PlannedCell> phase)
    {
        var indexes = phase.Select(cell => cell.Index).ToHashSet();
        var made = options.Resume?.Kept.Rounds.Where(round => indexes.Contains(round.Cell)).Select(round => round.Number) ?? [];
        var rounds = phase.First().Given?.Rounds(options) ?? options.Rounds;
        return new(phase.Key, [.. phase], Math.Max(0, rounds - made.DefaultIfEmpty(0).Max()), rounds);
    }

    private TimeSpan Starting => Servers * ServerStart + WarmUps * ServerWarmup.OfEachServer(options);

    // Each server is loaded in every protocol and mode (ServerWarmup).
    private int WarmUps => FirstPhase.Select(cell => (ServerOf(cell.Target), cell.Load.Protocol, cell.Load.Mode)).Distinct().Count();

    // One process for each transport where commands are given.
    private int Servers => options.Variants.Sum(variant => variant.Command is null ? 1 : options.Transports.Count);

    private object ServerOf(Target target) => !options.OwnServer ? target.Address
        : target.Variant.Command is null ? target.Variant : (target.Variant, target.Address.Kind);

    /// <summary>The cells of one round, shuffled by seed and round number alone; those that are compared follow each other.</summary>
    public IReadOnlyList<PlannedCell> Order(IEnumerable<PlannedCell> phase, int round) =>
        RoundOrder.Shuffle(phase, cell => Workload.Of(cell.Record.Key), options.Seed, round);

    /// <summary>
    /// What the round measures, in this order: each entry is one cell in one window, or all cells that are compared, in turns.
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
    /// Whether cells that are compared take turns in slices. Not where a number of calls is a measurement, or a connection a call; where
    /// calls have a rate, since a queue that grows is not seen in a slice; where messages go one way on streams that outlive slices; and
    /// not under <c>--watch</c>, which counts connections by state. Between its slices a cell's connections are idle: HTTP/2 servers
    /// leave them open, of others that are not ours nobody knows.
    /// </summary>
    /// <param name="cells">All of one workload.</param>
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
        from mode in target.Call is { } call ? [CallMode.Of(call)] : options.Modes
        where !IsLeftOut(options, client, mode)
        from chunk in mode == CallMode.Pull && target.Call is null ? options.Chunks : [0]
        from perCall in options.ConnectPerCall
        select Make(options, target, (client, mode, chunk, perCall), size, cells.Topology, given);

    /// <summary>Of a method that streams the wire client alone measures messages: by default it is the only client then.</summary>
    private static bool IsLeftOut(RunOptions options, string client, string mode) =>
        options.Call is not null && mode != CallMode.Unary && options.Shapes.Count > 0 && client != ProtocolTable.Wire;

    /// <summary>
    /// What an HTTP/1.1 server sends is not known beforehand; arms are compared at one size, the largest of theirs. A method is called with
    /// what was given for it.
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

/// <summary>One endpoint to measure: where it is and what sets it apart from the others of its kind.</summary>
/// <param name="Address">Where it listens.</param>
/// <param name="Variant">The knobs in force there.</param>
/// <param name="Mark">Apart from the knobs: <c>a/a</c>, or <c>#2</c> for the second address of a kind; empty otherwise.</param>
/// <param name="Note">What a reader must know about it.</param>
/// <param name="Protocol">What is spoken there: see <see cref="IpcBench.Analysis.Results.CellKey.Protocol"/>.</param>
/// <param name="Request">What an HTTP/1.1 call asks for; null for other protocols.</param>
/// <param name="Call">The method that is called there; null: <c>Bench.Download</c>.</param>
/// <param name="ReplySize">Bytes of the method's first reply there, when there was one.</param>
internal sealed record Target(
    Address Address, Variant Variant, string Mark = "", string Note = "", string Protocol = "grpc", HttpRequest? Request = null,
    GrpcCall? Call = null, long? ReplySize = null);

/// <summary>One cell of the plan, ready to be measured.</summary>
/// <param name="Index">Its place in <see cref="RunRecord.Cells"/>.</param>
/// <param name="Record">What it is, for the file.</param>
/// <param name="Target">Where it runs.</param>
/// <param name="Load">The connections it opens and what they ask for.</param>
/// <param name="Given">The load of the phase after the saturation rounds; null in the first phase.</param>
internal sealed record PlannedCell(int Index, Cell Record, Target Target, LoadOptions Load, GivenLoad? Given = null)
{
    /// <summary>What a note calls it: <c>unix, 1 MB, 400 connections</c>.</summary>
    public string Name => $"{Record.Key.Arm}, {WorkloadName}";

    /// <summary>What a note calls it together with those it is compared with: <c>1 MB, 400 connections</c>.</summary>
    public string WorkloadName => $"{Record.Key.Work}, {Quantity.Many(Load.Connections, "connection")}";
}

/// <summary>
/// Interleaving: every round visits every cell once, in an order of its own that the seed alone decides. A machine's state lasts for
/// seconds, so what is compared is measured together: randomized blocks (R. A. Fisher, The Design of Experiments, 1935).
/// </summary>
internal static class RoundOrder
{
    /// <summary>Fisher-Yates with SplitMix64, so that a printed seed gives the same order on every runtime version.</summary>
    /// <param name="blockOf">Cells of one block stay together: the blocks are shuffled, and the cells of each.</param>
    /// <param name="seed">The run's.</param>
    /// <param name="round">The round's number.</param>
    public static IReadOnlyList<T> Shuffle<T>(IEnumerable<T> cells, Func<T, object> blockOf, long seed, int round)
    {
        var random = new SplitMix64(unchecked((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round));
        var blocks = cells.GroupBy(blockOf).Select(block => block.ToArray()).ToArray();
        Shuffle(blocks, ref random);
        foreach (var block in blocks)
            Shuffle(block, ref random);
        return [.. blocks.SelectMany(block => block)];
    }

    /// <summary>The order of the items in each block of slices of a round: each block has its own.</summary>
    /// <param name="items">What takes turns.</param>
    /// <param name="seed">The run's.</param>
    /// <param name="round">The round's number.</param>
    public static IEnumerable<IReadOnlyList<T>> Blocks<T>(IReadOnlyList<T> items, long seed, int round)
    {
        // Not the numbers of the order of the cells.
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
