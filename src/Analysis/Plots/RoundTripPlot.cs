using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Plots;

/// <summary>The time of an echo's round trip by size, in absolute time or as a multiple of the reference's time.</summary>
internal sealed class RoundTripPlot(bool isNormalised) : IPlot
{
    public string Name => isNormalised ? "normalised" : "round-trip";

    public Plot? Draw(ReportModel model)
    {
        if (!model.Files.All(file => EchoTable.Fits(file.Run)))
            return null;
        var reference = model.Files[0].Run.Record.Options.Reference;
        return new Plot(Name, isNormalised ? $"Time of a round trip, {reference} = 1" : "Time of a round trip",
            isNormalised
                ? "Lower is better. Median over the rounds of each time divided by the reference's time of the same round, with the range "
                    + "of all rounds. "
                    + "Below 1 is faster. Sizes are on a logarithmic axis."
                : "Lower is better. Mean of all rounds; the bar spans the means of single rounds. Sizes are on a logarithmic axis.",
            [.. Facet.Split(Series.From(model)).Select(Draw)], [.. model.Files.Select(file => EchoTable.Make(file.Run))]);
    }

    private Panel Draw(Facet facet)
    {
        var frame = new Frame(250, [.. facet.Lines.Select(line => line.Series)]);
        var lines = facet.Lines.Select(line => (line.Series, Points: line.Points
            .Select(p => (p.X, Values: Values(line.Series.Run, p.Cell), Middle: Middle(line.Series.Run, p.Cell)))
            .Where(p => p.Values.Count > 0).ToList())).ToList();
        var all = lines.SelectMany(line => line.Points).SelectMany(point => point.Values).DefaultIfEmpty(1).ToList();
        var y = Scale.Linear(0, all.Max(), frame.Bottom, frame.Top);
        var x = Scale.Log(facet.All.Min(p => p.X), facet.All.Max(p => p.X), Frame.LeftEdge, frame.RightEdge);
        frame.YAxis(y, Show);
        frame.XAxis(facet.All.Select(p => p.X).Distinct().Order().Select(v => (x[v], facet.XLabel(v))), facet.AxisTitle);
        // If there is only one size, the arms are drawn next to each other.
        var apart = facet.All.Select(p => p.X).Distinct().Count() > 1 ? 0 : 40;
        foreach (var (i, (series, points)) in lines.Index())
        {
            var aside = (i - (lines.Count - 1) / 2.0) * apart;
            frame.Marks.Path(points.Select(p => (x[p.X], y[p.Middle])), series.LineCss);
            foreach (var (at, values, middle) in points)
            {
                frame.Marks.Line(x[at] + aside, y[values.Min()], x[at] + aside, y[values.Max()], series.LineCss);
                frame.Marks.Mark(x[at] + aside, y[middle], series.Shape, series.MarkCss,
                    $"{series.Name}, {facet.XLabel(at)}: {Show(middle)}");
            }
        }
        return frame.ToPanel(facet.Title, $"{(isNormalised ? "Normalised time" : "Time")} of a round trip along the {facet.AxisTitle}");
    }

    /// <summary>Returns the value of each round, ascending.</summary>
    private List<double> Values(MeasuredRun run, MeasuredCell cell)
    {
        if (!isNormalised)
            return [.. cell.Values(Metric.Mean).Order()];
        var reference = run.ReferenceOf(cell) ?? cell;
        return [.. (from mine in cell.Rounds
                    join theirs in reference.Rounds on mine.Record.Number equals theirs.Record.Number
                    where mine.MeanNs > 0 && theirs.MeanNs > 0
                    select mine.MeanNs!.Value / theirs.MeanNs!.Value).Order()];
    }

    private double Middle(MeasuredRun run, MeasuredCell cell) =>
        isNormalised ? RatioEstimate.Median(Values(run, cell)) : cell.Value(Metric.Mean) ?? 0;

    private string Show(double value) => value == 0 ? "0" : isNormalised ? Number(value, "0.0#") + "×" : Quantity.Duration(value);
}
