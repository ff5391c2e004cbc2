using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>What a gRPC call is made of, as one stacked bar for each transport and size.</summary>
internal sealed class LayersPlot : IPlot
{
    private const double Row = 22;

    public string Name => "layers";

    public Plot? Of(ReportModel model)
    {
        var budgets = model.Files.Select(file => (file.Run, Budgets: LayerBudget.Of(file.Run))).ToList();
        return budgets.All(file => file.Budgets.Count == 0) ? null : new Plot(Name, "Layers of a gRPC call", LayerText.Caption,
            [.. budgets.Where(file => file.Budgets.Count > 0).Select(file => Draw(file.Run, file.Budgets))],
                [.. budgets.Select(file => LayerText.Table(file.Run, file.Budgets))]);
    }

    private static Panel Draw(MeasuredRun run, IReadOnlyList<LayerBudget> budgets)
    {
        var rows = LayerText.InOrder(budgets)
            .Select(budget => (Name: $"{Arms.NameOf(run, budget.Call.Point)} {budget.Call.Key.Arm}", Budget: budget)).ToList();
        var (marks, left) = (new SvgText(), 12 + rows.Max(row => row.Name.Length) * 7.2);
        var scale = (Frame.Width - left - 84) / Math.Max(1, rows.Max(row => LayerText.Positive(row.Budget).Sum()));
        var x = left;
        foreach (var part in LayerText.Parts)
        {
            marks.Rectangle(x, 6, 11, 11, part.Css);
            marks.Label(x + 16, 16, part.Name);
            x += 30 + part.Name.Length * 7.2;
        }
        var y = 30.0;
        foreach (var (name, budget) in rows)
        {
            marks.Label(left - 8, y + 13, name, "end");
            var end = left;
            foreach (var part in LayerText.Parts)
            {
                var width = Math.Max(0, part.Of(budget).Ns) * scale;
                marks.Rectangle(end, y, width, Row - 5, part.Css, $"{name}, {part.Name}: {Quantity.Micros(part.Of(budget).Ns)}");
                end += width;
            }
            marks.Label(end + 6, y + 13, Quantity.Micros(budget.Total.Ns), css: "s");
            y += Row;
        }
        return new Panel("", "Stacked bars of what a gRPC call is made of", Frame.Width, y + 6, marks.ToString());
    }
}
