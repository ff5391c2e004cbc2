using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The content of a report about a run. The renderers for text, Markdown and HTML choose, order and draw these
/// sections. A new section needs a property here and an entry in the list of each renderer that shows it.
/// </summary>
internal sealed class Document(NamedRun file)
{
    private readonly MeasuredRun run = file.Run;

    public string Name => file.Name;

    public RunRecord Record => run.Record;

    /// <summary>Whether any round was measured.</summary>
    public bool IsMeasured => run.Cells.Any(cell => cell.Median is not null);

    /// <summary>What was measured, where and how, one item per line.</summary>
    public Section Header => field ??= Section.With("Measured with", new Block { Sentences = [.. RunHeader.Lines(run)] });

    public string Command => "GrpcBench " + string.Join(' ', run.Record.CommandLine.Select(word => ShellWord.Quoted(word)));

    public Section Answer => field ??= OfBuilds is { Sides: var sides }
        ? Section.With("head against base", new Block { Sentences = Answers.For(run) },
            new Block
            {
                Caption = "Cell by cell",
                Table = ComparisonTable.Make(sides, verbose: true).Table,
                Note = ComparisonTable.Method([sides]),
            })
        : Section.With("Answer", [.. Grid.Blocks, new Block { Sentences = [.. AnswerLines.Select(line => line.Sentence)] }]);

    /// <summary>The comparison of a run of <c>ab</c>. Null for other runs, and when no cell was measured in both builds.</summary>
    public BuildComparison? OfBuilds { get; } = BuildComparison.From(file.Run);

    /// <summary>
    /// The table of a Unix socket against TCP with its conclusion, and the tables of other transports and of settings.
    /// </summary>
    public Section Grid => field ??= Section.With("Answer",
    [
        new Block
        {
            Caption = UnixAgainstTcp.Title(run),
            Table = UnixAgainstTcp.Table(run) is { IsEmpty: false } table ? table : null,
            Columns = [("load", UnixAgainstTcp.Legend(run))],
            Note = UnixAgainstTcp.Worth(run),
        },
        UnixAgainstTcp.Others(run) is { IsEmpty: false } others
            ? new Block { Caption = UnixAgainstTcp.OthersTitle(run), Table = others } : new Block(),
        .. SettingTables.Make(run),
    ]);

    /// <summary>
    /// A Unix socket against TCP by requests/s, as a coloured grid for a page: by shape of the load and by size. Null if no
    /// Unix socket was compared with TCP.
    /// </summary>
    public VerdictGrid? AtAGlance => VerdictGrid.Compute(run);

    /// <summary>Sentences about results that are not in <see cref="Grid"/>. A sentence about a winner has a headline of figures.</summary>
    public IEnumerable<AnswerLine> AnswerLines => Headlines.For(run);

    /// <summary>The main tables of the run, which a screen shows.</summary>
    public Section Main => field ??= !RoundTrips.IsEmpty ? RoundTrips
        : Layers is { IsEmpty: false } layers ? layers with { Blocks = [layers.Blocks[0]] }
        : new Section("", [.. RunTables.OnScreen(run) is { Table.IsEmpty: false } shown
            ? [new Block { Caption = shown.Title, Table = shown.Table, Note = RunTables.Contradictions(run) }] : Array.Empty<Block>(),
            .. AtGivenLoad.Blocks.Select(block => block with { Bars = null }), .. Whole(RateSearchSentences.Table(run), "")]);

    /// <summary>Whether a table of <see cref="Main"/> has percentiles.</summary>
    public bool HasPercentilesOnScreen => Main.Blocks.Any(block => block.Table?.Headings.Contains(Metric.P99.Id) == true);

    /// <summary>The latencies of a run with <c>-R</c> or <c>--load</c>.</summary>
    public Section AtGivenLoad => field ??=
        OfTable("Latency at the given load", "", RunTables.AtGivenLoad(run)) is { IsEmpty: false } section
        ? section with
        {
            Blocks =
            [
                section.Blocks[0] with
                {
                    Bars = scale => BarChart.Draw(run, atFullLoad: false, scale),
                    Columns = RunTables.AtGivenLoadWords,
                },
            ],
        }
        : Section.Empty;

    /// <summary>The highest rates of a run with <c>--find</c>.</summary>
    public Section HighestRate => field ??=
        OfTable($"Highest rate at {string.Join(" and ", Objectives)}", "", RateSearchSentences.Table(run)) is { IsEmpty: false } section
        ? section with { Blocks = [section.Blocks[0] with { Note = RateSearchSentences.Words }] } : Section.Empty;

    private IEnumerable<string> Objectives => run.Cells.Where(cell => cell.Key.VariesRate).Select(cell => cell.Key.Load).Distinct();

    public Section Throughput => field ??= Section.With($"{Arms.RateTitle(run)} (median round)",
        RunTables.Throughput(run) is { IsEmpty: true } && IsMeasured ? [] : [new Block
        {
            Bars = scale => BarChart.Draw(run, atFullLoad: true, scale),
            Table = RunTables.Throughput(run),
            Columns = RunTables.ThroughputColumns(run),
            Note = RunTables.Contradictions(run),
        }]);

    public Section Latency => field ??=
        Section.With("Latency of the calls of all rounds", new Block { Table = RunTables.Latency(run) });

    /// <summary>The wake-ups, which explain why one arm costs more than another.</summary>
    public Section WakeUps => field ??= Documents.WakeUps.Table(run) is { IsEmpty: false } table
        ? Section.With(Documents.WakeUps.Title, new Block
        {
            Table = table,
            Columns = Documents.WakeUps.Words,
            Sentences = [.. Documents.WakeUps.Lines(run).Take(2)],
        }) : Section.Empty;

    /// <summary>The connections of the endpoints of <c>--watch</c>.</summary>
    public Section Connections => field ??= OfTable("", RunHeader.Connections, RunTables.Connections(run));

    /// <summary>How ratios were estimated. Empty when no cell has a reference.</summary>
    public Section Method => field ??= Section.With("",
        new Block { Caption = run.Cells.Any(cell => run.ReferenceOf(cell) is not null) ? RunHeader.Method(run) : "" });

    public Section Verdicts => field ??= OfTable("", RunHeader.Method(run), RunTables.Verdicts(run));

    /// <summary>The layers of a run of <c>layers</c>.</summary>
    public Section Layers => field ??= LayerBudget.Compute(run) is not { Count: > 0 } layers ? Section.Empty : Section.With(LayerText.Title,
        new Block
        {
            Bars = scale => LayerText.Bars(run, layers, scale),
            Table = LayerText.Table(run, layers),
            Note = LayerText.Caption(layers),
        },
        LayersOfCpu(layers));

    /// <summary>Makes a second table of the layers, in CPU time. Empty when the first table has only CPU time.</summary>
    private Block LayersOfCpu(IReadOnlyList<LayerBudget> layers) =>
        layers.Any(budget => budget.IsTime) && LayerBudget.Compute(run, ofCpu: true) is { Count: > 0 } ofCpu
            ? new Block { Caption = LayerText.OfCpu, Table = LayerText.Table(run, ofCpu) } : new Block();

    /// <summary>The times of a run of <c>echo</c>.</summary>
    public Section RoundTrips => field ??= EchoTable.Fits(run) ? OfTable(EchoTable.Title, "", EchoTable.Make(run)) : Section.Empty;

    /// <summary>Where the CPU time of the server goes, in a run with <c>--profile</c>.</summary>
    public Section Profile => field ??= Section.With(ProfileSection.Title(run), ProfileSection.Make(run));

    public Section Doubts => field ??= Section.With("Doubts", new Block { Doubts = Doubt.Find(run) });

    /// <summary>The comparisons with the write-ups that the run repeats.</summary>
    public Section Published => field ??= Section.With("Published", [.. PublishedSection.Make(file)]);

    /// <summary>The first table of <see cref="Published"/> that compares measured ratios with published ratios.</summary>
    public Section PublishedInBrief => field ??= Section.With("Published",
        [.. Published.Blocks.Where(block => block.Table is { LastIsWords: true }).Take(1)]);

    /// <summary>The machine and the settings of the run, without unknown values.</summary>
    public IEnumerable<(string Name, string Value)> Environment => EnvironmentList.Make(run.Record).Where(entry => entry.Value.Length > 0);

    private static Block[] Whole(TextTable table, string note) => table.IsEmpty ? [] : [new Block { Table = table, Note = note }];

    private static Section OfTable(string title, string caption, TextTable table) =>
        table.IsEmpty ? Section.Empty : Section.With(title, new Block { Caption = caption, Table = table });
}
