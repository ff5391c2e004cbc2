using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>The layers of a gRPC call as a stacked bar for each transport and size.</summary>
internal sealed class LayersPlot : IPlot
{
    private const double Row = 22;

    public string Name => "layers";

    public Plot? Draw(ReportModel model)
    {
        var budgets = model.Files.Select(file => (file.Run, Title: model.Files.Count > 1 ? file.Name : "",
            Budgets: LayerBudget.Compute(file.Run))).ToList();
        return budgets.All(file => file.Budgets.Count == 0) ? null : new Plot(Name, "Layers of a gRPC call",
            "Shorter is better. " + LayerText.Caption([.. budgets.SelectMany(file => file.Budgets)]),
            [.. budgets.Where(file => file.Budgets.Count > 0).Select(file => Draw(file.Run, file.Title, file.Budgets))],
                [.. budgets.Select(file => LayerText.Table(file.Run, file.Budgets))]);
    }

    private static string CssOf(Layer layer) => TextBuilding.Invariant($"b k{Layer.All.ToList().IndexOf(layer)}");

    private static Panel Draw(MeasuredRun run, string title, IReadOnlyList<LayerBudget> budgets)
    {
        var rows = LayerText.InOrder(budgets)
            .Select(budget => (Name: $"{Arms.NameOf(run, budget.Call.Workload)} {budget.Call.Key.Arm}", Budget: budget)).ToList();
        var (marks, left) = (new SvgText(), Frame.BesideNames(rows.Select(row => row.Name)));
        var scale = (Frame.Width - left - 84) / Math.Max(1, LayerText.Longest(budgets));
        var x = left;
        foreach (var layer in LayerText.Layers(budgets))
        {
            marks.Rectangle(x, 6, 11, 11, CssOf(layer));
            marks.Label(x + 16, 16, layer.Short);
            x += 30 + layer.Short.Length * 7.2;
        }
        var y = 30.0;
        foreach (var (name, budget) in rows)
        {
            marks.Label(left - 8, y + 13, Frame.ShortName(name), "end");
            var end = left;
            foreach (var step in LayerText.Drawn(budget))
            {
                var width = step.Part.Ns * scale;
                marks.Rectangle(end, y, width, Row - 5, CssOf(step.Layer), $"{name}, {step.Layer.Short}: {Quantity.Micros(step.Part.Ns)}");
                end += width;
            }
            marks.Label(end + 6, y + 13, Quantity.Micros(budget.Total.Ns), css: "s");
            y += Row;
        }
        return new Panel(title, "Stacked bars of what a gRPC call is made of", Frame.Width, y + 6, marks.ToString());
    }
}
