using System.Globalization;
using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// A Markdown report of runs with <c>--aa</c>: the shift between the two endpoints of the reference, and a test of this
/// shift. A row is about one run, about one size in all runs, or about all runs together.
/// </summary>
public sealed class AaReport : IReport
{
    public string Format => "aa";

    public string Make(ReportModel model)
    {
        var files = model.Files.Where(file => AaTest.Compute(file.Run) is not null).OrderBy(file => file.Run.Record.Started).ToList();
        if (files.Count == 0)
            return "No run here measured its reference against itself (--aa).\n";
        var runs = files.ConvertAll(file => file.Run);
        var references = runs.Select(run => run.Record.Options.Reference).Distinct().ToList();
        var reference = references is [var only] ? only : "the reference";
        var second = references.Count == 1 ? $"second {reference} against the first" : "second against the first";
        var table = new TextTable("runs", "begun", "build", "rounds", "cells", second, "p") { Words = 3 };
        foreach (var file in files)
            Add(table, file.Name, [file.Run], AaTest.Compute(file.Run));
        if (files.Count > 1)
        {
            var sizes = runs.SelectMany(run => run.Cells).Where(cell => AaTest.IsAa(cell.Key)).Select(cell => cell.Key.Size).Distinct();
            foreach (var size in sizes.Order())
            {
                var having = runs.FindAll(run => run.Cells.Any(cell => AaTest.IsAa(cell.Key) && cell.Key.Size == size));
                Add(table, $"all, {Quantity.Size(size)}", having, AaTest.Compute(having, key => key.Size == size));
            }
            Add(table, "all", runs, AaTest.Compute(runs, _ => true));
        }
        var title = references.Count == 1 ? TextTable.Escape(reference) : "The reference";
        var text = new StringBuilder().Line($"# {title} against itself").Line().Append(table.ToMarkdown()).Line();
        var whole = AaTest.Compute(runs, _ => true)!;
        var over = $"{Quantity.Many(whole.Cells, "cell")} of {Quantity.Many(runs.Count, "run")}";
        text.Line(whole.Failed ? Invariant($"A/A failed: {reference} against itself is {whole.Measured} over {over} ")
                + Invariant($"(p = {whole.PValue:0.0000}, limit {AaTest.Level}).")
            : !whole.CanFail ? $"The test over {over} cannot fail with so few rounds: use 12 or more."
            : whole.Sentence(reference, runs.Min(run => run.Record.Options.Delta), over)).Line();
        text.Line("The shift is the common change of all cells with its 95 % interval, of requests/s or, at a given load, of p50; each "
            + "cell of each run is ranked separately (signed ranks, added over the cells). p belongs to the whole test, which fails for a "
            + "common shift and for cells that differ in different directions.");
        return PrintableText.Of(text.ToString());
    }

    private static void Add(TextTable table, string name, IReadOnlyList<MeasuredRun> runs, AaTest? test)
    {
        if (test is null)
            return;
        var isOne = runs.Count == 1;
        table.Add(name, isOne ? runs[0].Record.Started.ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture) : "",
            isOne ? Version(runs[0].Record.ToolVersion) : "", Invariant($"{runs.Sum(run => run.CommonRounds)}"), Invariant($"{test.Cells}"),
            test.Measured, Invariant($"{test.PValue:0.000}"));
    }
}
