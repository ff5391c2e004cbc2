using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Layers;

/// <summary>
/// A gRPC call over a transport, split into layers: what each layer adds to the layer below, from pairs of values of
/// the same round. In each round the steps add up exactly to the time of the call.
/// </summary>
public sealed record LayerBudget
{
    private static readonly ConditionalWeakTable<MeasuredRun, IReadOnlyList<LayerBudget>> Usual = [], OfCpu = [];

    /// <summary>The gRPC cell that is split into layers.</summary>
    public required MeasuredCell Call { get; init; }

    /// <summary>
    /// Whether the layers are measured in time per call. If not, they are measured in CPU time of both sides, for
    /// example because several calls are in flight, whose times overlap and do not add up.
    /// </summary>
    public required bool IsTime { get; init; }

    /// <summary>The number of rounds in which all layers were measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>The time or CPU time of the whole call.</summary>
    public required LayerPart Total { get; init; }

    /// <summary>What each layer adds to the layer below. The first step includes everything below the first layer.</summary>
    public required IReadOnlyList<LayerStep> Steps { get; init; }

    /// <summary>
    /// The same call on the reference transport, with the layers that both calls have: other layers are included in the layer above
    /// them. Its parts have no intervals. Null for the reference itself, and when the reference has no layers or no common round.
    /// </summary>
    public LayerBudget? Reference { get; private init; }

    /// <summary>
    /// The saving in each layer that both calls have: the time of the reference minus the time of this call. Empty without a reference.
    /// </summary>
    public IReadOnlyList<LayerStep> Savings { get; private init; } = [];

    /// <summary>The time of the reference's call minus the time of this call. Null without a reference.</summary>
    public LayerPart? Saving { get; private init; }

    private IReadOnlyDictionary<int, double[]> Values { get; init; } = new Dictionary<int, double[]>();

    /// <summary>
    /// Computes the layers of each gRPC cell at full load for which the run also has cells of bare HTTP/2 and echo, in
    /// the order of the plan.
    /// </summary>
    /// <param name="ofCpu">Whether to use CPU time even for cells with one call in flight.</param>
    public static IReadOnlyList<LayerBudget> Compute(MeasuredRun run, bool ofCpu = false) =>
        (ofCpu ? OfCpu : Usual).GetValue(run, one => Make(one, ofCpu));

    private static IReadOnlyList<LayerBudget> Make(MeasuredRun run, bool ofCpu)
    {
        var cells = run.Cells.DistinctBy(cell => cell.Key).ToDictionary(cell => cell.Key);
        var budgets = (from call in run.Cells
                       where call.Key is { Protocol: "grpc", IsFullLoad: true }
                       let budget = Make(cells, call, !ofCpu && call.Workload is { Connections: 1, Streams: 1 })
                       where budget is not null
                       select budget).ToList();
        return WithIntervals(run, budgets.ConvertAll(budget => WithReference(run, budget, budgets)));
    }

    /// <summary>Computes the intervals of all parts. The parts of all budgets are one family: their intervals are simultaneous.</summary>
    private static List<LayerBudget> WithIntervals(MeasuredRun run, List<LayerBudget> budgets)
    {
        var parts = budgets.SelectMany(budget => budget.Steps.Select(step => step.Part).Append(budget.Total)
            .Concat(budget.Savings.Select(step => step.Part))
            .Concat(budget.Saving is { } saving ? [saving] : [])).ToList();
        var intervals = Joint.Intervals(parts.ConvertAll(part => part.Series), run.Record.Options.IsLookedAt(), parts.Count);
        var made = new Dictionary<LayerPart, LayerPart>(ReferenceEqualityComparer.Instance);
        foreach (var (part, interval) in parts.Zip(intervals))
            made[part] = part with { Interval = interval?.With(part.Ns) };
        LayerBudget Whole(LayerBudget budget) => budget with
        {
            Total = made[budget.Total],
            Steps = [.. budget.Steps.Select(step => step with { Part = made[step.Part] })],
            Savings = [.. budget.Savings.Select(step => step with { Part = made[step.Part] })],
            Saving = budget.Saving is { } saving ? made[saving] : null,
        };
        return budgets.ConvertAll(Whole);
    }

    private static LayerBudget? Make(Dictionary<CellKey, MeasuredCell> cells, MeasuredCell call, bool isTime)
    {
        var layers = (from layer in Layer.All
                      let cell = cells.GetValueOrDefault(call.Key with
                      {
                          Protocol = layer.Protocol,
                          Variant = $"{call.Key.Variant} {layer.Sockets}".Trim(),
                      })
                      where cell is not null
                      select (Layer: layer, Cell: cell)).ToList();
        if (!layers.Exists(one => one.Layer.Protocol == "echo") || !layers.Exists(one => one.Layer.Protocol == "http2"))
            return null;
        var values = call.Rounds.Select(round => round.Record.Number)
            .Select(number => (Number: number, Levels: layers.Select(one => Value(one.Cell, number, isTime)).OfType<double>().ToArray()))
            .Where(round => round.Levels.Length == layers.Count).ToDictionary(round => round.Number, round => round.Levels);
        return values.Count == 0 ? null : Sum(call, isTime, layers.ConvertAll(one => one.Layer), values);
    }

    private static LayerBudget Sum(
        MeasuredCell call, bool isTime, IReadOnlyList<Layer> layers, IReadOnlyDictionary<int, double[]> values)
    {
        return new LayerBudget
        {
            Call = call,
            IsTime = isTime,
            Rounds = values.Count,
            Values = values,
            Total = Part(values.Select(round => (round.Key, round.Value[^1]))),
            Steps = [.. layers.Select((layer, i) => new LayerStep(layer, Part(values.Select(round => (round.Key, Step(round.Value, i))))))],
        };
    }

    /// <summary>Returns the budget of the same call with only these of its layers.</summary>
    private LayerBudget With(IReadOnlyList<Layer> layers)
    {
        var own = Steps.Select(step => step.Layer).ToList();
        return Sum(Call, IsTime, layers, Values.ToDictionary(
            round => round.Key, round => layers.Select(layer => round.Value[own.IndexOf(layer)]).ToArray()));
    }

    private static LayerBudget WithReference(MeasuredRun run, LayerBudget budget, List<LayerBudget> all)
    {
        var cell = run.ReferenceOf(budget.Call);
        if (all.Find(one => one.Call == cell) is not { } reference)
            return budget;
        // Both have the layer of the whole call.
        var layers = budget.Steps.Select(step => step.Layer).Intersect(reference.Steps.Select(step => step.Layer)).ToList();
        var (own, other) = (budget.With(layers), reference.With(layers));
        var pairs = (from mine in own.Values
                     join theirs in other.Values on mine.Key equals theirs.Key
                     select (mine.Key, Mine: mine.Value, Theirs: theirs.Value)).ToList();
        return pairs.Count == 0 ? budget : budget with
        {
            Reference = other,
            Saving = Part(pairs.Select(pair => (pair.Key, pair.Theirs[^1] - pair.Mine[^1]))),
            Savings = [.. layers.Select((layer, i) => new LayerStep(layer,
                Part(pairs.Select(pair => (pair.Key, Step(pair.Theirs, i) - Step(pair.Mine, i)))))
            {
                Included = [.. Between(budget, i == 0 ? null : layers[i - 1], layer)
                    .Union(Between(reference, i == 0 ? null : layers[i - 1], layer))],
            })],
        };
    }

    /// <summary>Lists the layers of a call above one layer (null: from the lowest) and below another layer.</summary>
    private static IEnumerable<Layer> Between(LayerBudget budget, Layer? above, Layer below) => budget.Steps.Select(step => step.Layer)
        .SkipWhile(layer => above is not null && layer != above).Skip(above is null ? 0 : 1).TakeWhile(layer => layer != below);

    private static double Step(double[] levels, int index) => index == 0 ? levels[0] : levels[index] - levels[index - 1];

    private static LayerPart Part(IEnumerable<(int Round, double Value)> series) =>
        new(SignedRank.Estimate(series.Select(one => one.Value)), null) { Series = [.. series] };

    private static double? Value(MeasuredCell cell, int number, bool isTime) =>
        cell.Rounds.FirstOrDefault(round => round.Record.Number == number) is not { } round ? null : isTime ? round.MeanNs : CpuOf(round);

    // Adds the soft interrupts that the kernel charged to neither side. Some kernels charge soft interrupts to processes, and
    // then the total already has them. So at most the unattributed time is added: the CPU time that neither side was charged.
    private static double? CpuOf(RoundMetrics round) =>
        Metric.TotalCpu.Value(round) + Math.Min(Metric.UnattributedCpu.Value(round) ?? 0, Metric.Find("softirq")!.Value(round) ?? 0);
}

/// <summary>What a layer adds to the layer below.</summary>
public sealed record LayerStep(Layer Layer, LayerPart Part)
{
    /// <summary>Layers below this layer that only one of two compared calls has. The part includes them.</summary>
    public IReadOnlyList<Layer> Included { get; init; } = [];
}

/// <summary>A part of a call, in ns.</summary>
/// <param name="Ns">The time. Negative if the noise of the rounds is larger than the cost of the layer.</param>
/// <param name="Interval">
/// The interval, which is simultaneous with the intervals of all other parts. Null when there are too few rounds.
/// </param>
public sealed record LayerPart(double Ns, Interval? Interval)
{
    /// <summary>The value of each round, with the number of the round.</summary>
    public IReadOnlyList<(int Round, double Value)> Series { get; init; } = [];

    /// <summary>Whether the interval excludes 0, so that the difference is decided.</summary>
    public bool IsDecided => Interval is { Low: > 0 } or { High: < 0 };
}
