using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Published;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// A published table next to the measured table: numbers, ratios with verdicts, cells that only one of the tables has, and
/// explanations.
/// </summary>
internal static class PublishedSection
{
    /// <summary>Makes the blocks that compare a run with its write-ups. Empty for a run that repeats no write-up.</summary>
    public static IEnumerable<Block> Make(NamedRun file) => WriteUps.Find(file.Run).SelectMany(published => Make(published, [file]));

    /// <summary>
    /// Makes the section of a write-up and the runs that repeat it. Without runs, the section has only the published numbers.
    /// </summary>
    public static IEnumerable<Block> Make(PublishedComparison published, IReadOnlyList<NamedRun> files)
    {
        yield return new Block
        {
            Sentences =
            [
            Invariant($"{published.Author}, \"{published.Title}\", {published.Year}: {published.Where}"),
            $"quoted for: {published.Claim}",
            published.Setup,
            $"its machine: {published.Machine}",
            .. published.Remarks,
        ],
        };
        if (files.Count == 0)
            yield return new Block { Caption = "Not measured here yet." };
        if (published.Figures.Count > 0)
            yield return new Block { Table = Figures(published, files) };
        foreach (var block in files.SelectMany(file => OfRun(published, file.Run, files.Count > 1 ? file.Name + ": " : "")))
            yield return block;
    }

    /// <summary>
    /// Lists a verdict for each pair of cells with a published ratio. If two ratios were published for a pair, the first ratio counts.
    /// </summary>
    public static IReadOnlyList<PublishedVerdict> Judged(PublishedComparison published, MeasuredRun run) =>
        [.. Verdicts(published, run).Where(verdict => verdict.Published.IsKnown)
            .DistinctBy(verdict => (verdict.Published.Cell, verdict.Published.Reference))];

    /// <summary>Says the verdicts in one line: the text of a single verdict, or the number of verdicts of each kind.</summary>
    public static string Summary(PublishedComparison published, MeasuredRun run)
    {
        var verdicts = Judged(published, run);
        return verdicts switch
        {
            [] => "nothing to compare",
            [var only] => $"{only.Text} ({VerdictText.Ratio(only.Measured.Verdict.Estimate)} against {only.Published.Text})",
            _ => string.Join(", ", verdicts.GroupBy(verdict => Word(verdict.Agreement))
                .Select(group => $"{group.Key} {Number(group.Count(), "0")}")) + $" ({Range(verdicts)})",
        };
    }

    private static IEnumerable<Block> OfRun(PublishedComparison published, MeasuredRun run, string prefix)
    {
        if (Ratios(published, run) is { IsEmpty: false } ratios)
            yield return new Block
            {
                Caption = $"{prefix}ratios by requests/s, with the {published.Shown.Title} of both sides:",
                Table = ratios
            };
        foreach (var line in LeftOver(published, run))
            yield return new Block { Caption = prefix + line };
        foreach (var explained in published.Explanations.Select(explanation => explanation.Explain(run, published)).OfType<Explained>())
            yield return new Block { Caption = $"{prefix}{explained.Title}:", Table = explained.Table, Sentences = explained.Sentences };
    }

    // Ratios of different transports are listed one by one, because a range over them would be meaningless.
    private static string Range(IReadOnlyList<PublishedVerdict> verdicts)
    {
        var ratios = verdicts.Select(verdict => verdict.Measured.Verdict.Estimate.Ratio).ToList();
        return verdicts.Select(verdict => (verdict.Measured.Cell.Key.Arm, verdict.Measured.Reference.Key.Arm)).Distinct().Count() == 1
            ? $"measured {Quantity.Ratio(ratios.Min())} to {Quantity.Ratio(ratios.Max())}"
            : string.Join("; ", verdicts.Select(verdict =>
                $"{verdict.Published.What} {VerdictText.Ratio(verdict.Measured.Verdict.Estimate)}"));
    }

    public static string Word(Agreement agreement) =>
        agreement switch
        {
            Agreement.Agrees => "agrees",
            Agreement.Compatible => "compatible",
            Agreement.Differs => "differs",
            _ => "cannot tell",
        };

    private static IEnumerable<PublishedVerdict> Verdicts(PublishedComparison published, MeasuredRun run) =>
        published.Ratios.Select(ratio => PublishedVerdict.Compare(run, ratio)).OfType<PublishedVerdict>();

    private static TextTable Figures(PublishedComparison published, IReadOnlyList<NamedRun> files)
    {
        var table = new TextTable(["what", "metric", "known", "published", .. files.Count == 1 ? ["measured"]
            : files.Select(file => file.Name)])
        { Words = 3 };
        foreach (var figure in published.Figures)
            table.Add([figure.What, figure.Metric.Title, Known(figure.Origin), figure.Text,
                .. files.Select(file => figure.Cell.In(file.Run) is { } cell ? cell.Show(figure.Metric) : Quantity.None)]);
        return table;
    }

    private static TextTable Ratios(PublishedComparison published, MeasuredRun run)
    {
        var table = new TextTable("what", "known", "published", "measured", "the first", "the other", "verdict")
        {
            Words = 2,
            LastIsWords = true,
            Spare = ["the other", "the first", "known"],
        };
        foreach (var verdict in Verdicts(published, run))
        {
            table.Add(verdict.Published.What, Known(verdict.Published.Origin), verdict.Published.Text,
                VerdictText.Ratio(verdict.Measured.Verdict.Estimate),
                verdict.Measured.Cell.Show(published.Shown), verdict.Measured.Reference.Show(published.Shown),
                    verdict.Text);
        }
        return table;
    }

    private static IEnumerable<string> LeftOver(PublishedComparison published, MeasuredRun run)
    {
        // A run may repeat several write-ups. A cell of any of these write-ups is not "only measured".
        var choices = WriteUps.Find(run).SelectMany(one => one.Figures.Select(figure => figure.Cell)
            .Concat(one.Ratios.SelectMany(ratio => new[] { ratio.Cell, ratio.Reference }))).Distinct()
            .Where(choice => choice.In(run) is not null).ToList();
        var missing = published.Figures.Count > 0
            ? published.Figures.Where(figure => figure.Cell.In(run) is null).Select(figure => figure.What)
            : published.Ratios.Where(ratio => ratio.Cell.In(run) is null || ratio.Reference.In(run) is null).Select(ratio => ratio.What);
        if (missing.Distinct().ToList() is { Count: > 0 } named)
            yield return $"Only published: {string.Join("; ", named)}.";
        var own = run.Cells.Where(cell => cell.Median is not null && !choices.Exists(choice => choice.Fits(cell.Key)))
            .GroupBy(cell => cell.Key.Arm).ToList();
        if (own.Count > 0 && WriteUps.Find(run)[0] == published)
            yield return $"Only measured: {string.Join("; ", own.Select(arm => Own(run, arm)))}.";
    }

    private static string Own(MeasuredRun run, IGrouping<string, MeasuredCell> arm) =>
        arm.Count() <= 6 ? $"{arm.Key} ({string.Join(" / ", arm.Select(cell => Arms.NameOf(run, cell.Workload)))})"
            : Invariant($"{arm.Key} ({arm.Count()} cells)");

    private static string Known(PublishedOrigin origin) => origin switch
    {
        PublishedOrigin.Original => "read there",
        PublishedOrigin.SecondHand => "second-hand",
        PublishedOrigin.AsReported => "as reported",
        _ => "not found",
    };
}
