using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>All cells of a run, and the order in which each round measures them.</summary>
internal sealed class BenchPlan
{
    /// <summary>The error message for <c>--crank</c> with more than one cell.</summary>
    public const string OneCell = "--crank measures one cell: give one server or transport, one size (-s or --call), and one value for "
        + "every other option that takes a list";

    /// <summary>The time of a cell beyond its warm-up and window: connecting, draining, reading the server's counters.</summary>
    public static readonly TimeSpan CellOverhead = TimeSpan.FromMilliseconds(180);

    /// <summary>The time to end and start a server of this tool.</summary>
    private static readonly TimeSpan ServerStart = TimeSpan.FromMilliseconds(600);

    /// <summary>
    /// The time of a slice beyond its length: load before and after it, waiting for calls to end, reading the server's
    /// counters. With slow calls this time is longer.
    /// </summary>
    private static readonly TimeSpan SliceOverhead = TimeSpan.FromMilliseconds(45);

    // A shortened window is a multiple of this time.
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(100);

    // The speed for estimates of the time of large replies. It was measured on a local socket with replies of 1 MB over 400
    // connections on two CPUs.
    private const double BytesPerSecond = 1.5e9;

    public BenchPlan(RunOptions options, IReadOnlyList<Target> targets)
    {
        Options = options;
        Cells = [.. PlannedCells.For(options, targets).Select((cell, index) => cell with { Index = index })];
        if (options is { AddsRounds: true, RoundsAuto: false, Resume: null } && FewestRounds > options.Rounds)
            Options = InShorterRounds(options, FewestRounds);
        Phases = [.. Cells.GroupBy(cell => cell.Given?.Phase ?? "").Select(PhaseOf)];
    }

    /// <summary>
    /// The options of the run. Without <c>-r</c>, the number of rounds is at least <see cref="FewestRounds"/>, because a run with
    /// fewer rounds cannot give a verdict.
    /// </summary>
    public RunOptions Options { get; }

    /// <summary>All cells in the order of reports (see <see cref="PlannedCells.For"/>).</summary>
    public IReadOnlyList<PlannedCell> Cells { get; }

    // A claim, which says how two arms differ, is about two metrics: the headline metric and the CPU per call.
    private const int MetricsOfClaim = 2;

    /// <summary>The number of comparisons of two arms on which the run gives verdicts, see <see cref="ClaimFamily"/>.</summary>
    public int Claims => Cells.Count == 0 ? 0
        : ClaimFamily.Pairs([.. Cells.Select(cell => cell.Record.Key)], ReferenceArm.Choose(Options, this)).Count;

    /// <summary>The smallest number of rounds that can give a verdict. 1 when nothing is compared.</summary>
    public int FewestRounds => Claims == 0 ? 1
        : Joint.FewestRounds(Options.RoundsAuto || Options.Resume is not null, MetricsOfClaim * Claims);

    /// <summary>The phases in their order: first the phase at full load or at the rate of -R, then the phases of given loads.</summary>
    public IReadOnlyList<Phase> Phases { get; }

    /// <summary>The number of rounds to measure in all phases together, without the rounds of a kept run.</summary>
    public int RoundsInAll => Phases.Sum(phase => phase.Rounds);

    /// <summary>
    /// The number of rounds to measure in the first phase, without the rounds of a kept run. The other phases may have more rounds
    /// left, if the kept run ended early.
    /// </summary>
    public int FirstRounds => Phases is [var first, ..] ? first.Rounds : 0;

    /// <summary>Cells of the first phase, at full load or at the rate of -R.</summary>
    public IReadOnlyList<PlannedCell> FirstPhase => Phases is [var first, ..] ? first.Cells : [];

    /// <summary>
    /// The time that the planned rounds will take. Null when measurements end after a number of calls, since their duration is unknown.
    /// </summary>
    public TimeSpan? Estimate => Options.Calls is not null
        ? null
        : Starting + (RoundsInAll - 1) * BetweenRounds
            + Cells.Aggregate(TimeSpan.Zero, (sum, cell) => sum + RoundsOf(cell) * TimeOf(cell)) + SampledWindows.TimeOf(this);

    /// <summary>True when the cells of at least one comparison take turns in slices.</summary>
    public bool HasSlices => FirstPhase.GroupBy(cell => Workload.From(cell.Record.Key)).Any(compared => InTurns([.. compared]));

    /// <summary>Returns how long one measurement of the cell takes, if measurements have a fixed time and not a number of calls.</summary>
    public TimeSpan TimeOf(PlannedCell cell)
    {
        var whole = ServerWarmup.OfConnection(Options, cell) + Options.Warmup + Options.Duration + CellOverhead;
        if (!InTurns([.. Cells.Where(other => Workload.From(other.Record.Key) == Workload.From(cell.Record.Key))]))
            return whole;
        // With slow calls, a slice lasts as long as five calls, and the load before and after it as long as four calls.
        var load = cell.Load;
        var slow = 9 * TimeSpan.FromSeconds(load.Connections * (double)load.Streams * load.Size / BytesPerSecond);
        return whole + SlicesOf(Options.Slice) * SliceOverhead
            + (slow > Options.Duration && !Options.FixedDuration ? slow - Options.Duration : TimeSpan.Zero);
    }

    /// <summary>Returns the number of slices of this length per cell and round: as many as fit into the window, and at least one.</summary>
    public int SlicesOf(TimeSpan slice) => Math.Max(1, (int)(Options.Duration / slice + 1e-6));

    /// <summary>The number of measurements in this run.</summary>
    public int Measurements => Cells.Sum(RoundsOf);

    /// <summary>Returns the number of rounds to measure for this cell, which is the same for all cells of its phase.</summary>
    public int RoundsOf(PlannedCell cell) => Phases.First(phase => phase.Name == (cell.Given?.Phase ?? "")).Rounds;

    /// <summary>The time between rounds. It is the time to start new servers if each round has servers of its own, else zero.</summary>
    public TimeSpan BetweenRounds => Options.FreshServers ? Starting : TimeSpan.Zero;

    /// <summary>
    /// Returns the options with this number of rounds. Windows become shorter, so that the run takes about the same time, unless
    /// the user gave their length or each round has a rate of its own.
    /// </summary>
    private static RunOptions InShorterRounds(RunOptions options, int rounds)
    {
        var shorter = Math.Max(1, Math.Ceiling(options.Duration * options.Rounds / rounds / Step - 1e-9)) * Step;
        var keepsDuration = options.FixedDuration || options.Loads.Any(load => load.VariesRate);
        return options with { Rounds = rounds, Duration = keepsDuration ? options.Duration : shorter };
    }

    // In a kept run, each phase continues after its own last round.
    private Phase PhaseOf(IGrouping<string, PlannedCell> phase)
    {
        var indexes = phase.Select(cell => cell.Index).ToHashSet();
        var made = Options.Resume?.Kept.Rounds.Where(round => indexes.Contains(round.Cell)).Select(round => round.Number) ?? [];
        var rounds = phase.First().Given?.Rounds(Options) ?? Options.Rounds;
        return new(phase.Key, [.. phase], Math.Max(0, rounds - made.DefaultIfEmpty(0).Max()), rounds);
    }

    private TimeSpan Starting => (Options.OwnServer ? Servers : 0) * ServerStart + WarmUps * ServerWarmup.OfEachServer(Options);

    // Each server is warmed up in every protocol and mode (ServerWarmup).
    private int WarmUps => FirstPhase.Select(cell => (ServerOf(cell.Target), cell.Load.Protocol, cell.Load.Mode)).Distinct().Count();

    // A variant has one server process, or one for each transport if a command starts its servers.
    private int Servers => Options.Variants.Sum(variant => variant.Command is null ? 1 : Options.Transports.Count);

    private object ServerOf(Target target) => !Options.OwnServer ? target.Address
        : target.Variant.Command is null ? target.Variant : (target.Variant, target.Address.Kind);

    /// <summary>
    /// Returns the cells of a round in random order. The order depends only on seed and round number. Compared cells stay together.
    /// </summary>
    public IReadOnlyList<PlannedCell> Order(IEnumerable<PlannedCell> phase, int round) =>
        RoundOrder.Shuffle(phase, cell => Workload.From(cell.Record.Key), Options.Seed, round);

    /// <summary>
    /// Returns the measurements of a round in their order. Each entry is either one cell, which has a window of its own, or all cells
    /// of a comparison, which take turns.
    /// </summary>
    public IReadOnlyList<IReadOnlyList<PlannedCell>> Turns(IEnumerable<PlannedCell> phase, int round)
    {
        var turns = new List<IReadOnlyList<PlannedCell>>();
        foreach (var compared in Order(phase, round).GroupBy(cell => Workload.From(cell.Record.Key)))
        {
            if (InTurns([.. compared]))
                turns.Add([.. compared]);
            else
                turns.AddRange(compared.Select(cell => (PlannedCell[])[cell]));
        }
        return turns;
    }

    /// <summary>
    /// True when the cells of a comparison take turns in slices. They do not take turns if a measurement ends after a
    /// number of calls, if each call has its own connection, or if the connections of all cells need more open files than
    /// the system allows. Other cases without turns: a given rate (a slice would hide a growing queue), one-way messages
    /// (their streams outlive slices), and <c>--watch</c> (the counts would include connections that are idle between
    /// slices). A user's listening server without HTTP/2 may close idle connections, so its cells take turns only with <c>--slice</c>.
    /// Cells whose connections keep CPUs busy without load (<c>--wait spin</c>) never take turns.
    /// </summary>
    public bool InTurns(IReadOnlyList<PlannedCell> cells) =>
        Options.Slice > TimeSpan.Zero && Options is { Calls: null, Rate: null, Watches: [] } && cells.Count > 1
        && cells.All(cell => cell is { Given: null, Load: { ConnectPerCall: false, Flow: Flow.Both, Connector.Wait.IsEndless: false } }
            && (Options.OwnServer || Options.FixedSlice || cell.Load.Address is Address.Child
                || ProtocolTable.IsGrpcServed(cell.Load.Protocol)))
        && OpenFileLimit.Raise().Allows(cells.Sum(cell => cell.Load.Connections));
}
