using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>
/// The plot of a search for the highest rate that meets an objective: the measured value against the rate, with a mark
/// for each window.
/// </summary>
internal sealed class ObjectivePlot : IPlot
{
    public string Name => "objective";

    public Plot? Draw(ReportModel model)
    {
        var lines = (from series in Series.From(model)
                     from found in RateSearchResult.FindAll(series.Run)
                     where found.Cell.Key.Arm == series.Cells[0].Key.Arm && Points(found, TermOf(found)).Count > 0
                     select (Series: series, Found: found)).ToList();
        if (lines.Count == 0)
            return null;
        var objectives = lines.Select(line => line.Found.Objective.Text).Distinct();
        return new Plot(Name, $"Highest rate at {string.Join(" and ", objectives)}",
            "Lower and further right is better. Each mark is one window; the curve is fitted to the marks and never falls "
                + "(isotonic regression of the logarithms). The bar on the line is the interval of the highest rate that keeps the "
                + "objective. This rate is estimated from the share of slow calls, so the curve may cross the line at another rate.",
            [.. lines.GroupBy(line => line.Found.Cell.Workload).Select(point => Draw([.. point]))],
            [.. model.Files.Select(file => RateSearchSentences.Windows(file.Run))]);
    }

    private static Panel Draw(List<(Series Series, RateSearchResult Found)> lines)
    {
        var term = TermOf(lines[0].Found);
        var frame = new Frame(220, [.. lines.Select(line => line.Series)]);
        var curves = lines.ConvertAll(line => (line.Series, line.Found, Points: Points(line.Found, term)));
        var values = curves.SelectMany(curve => curve.Points.Select(point => point.Value)).Append(term.Limit).ToList();
        var x = Scale.Linear(0, curves.Max(curve => curve.Points.Max(point => point.Rate)), Frame.LeftEdge, frame.RightEdge);
        var y = Scale.Log(values.Min(), values.Max(), frame.Bottom, frame.Top);
        frame.YAxis(y, value => term.IsOfFailures ? Quantity.Percent(value) : Quantity.Duration(value));
        frame.XAxis(x.Ticks().Select(tick => (x[tick], ThroughputPlot.Short(tick))), "calls per second");
        frame.Marks.Line(Frame.LeftEdge, y[term.Limit], frame.RightEdge, y[term.Limit], "one");
        foreach (var (series, found, points) in curves)
        {
            var fitted = RateSearch.NeverFalling(points.Select(point => Math.Log(point.Value)));
            frame.Marks.Path(points.Zip(fitted, (point, value) => (x[point.Rate], y[Math.Exp(value)])), series.LineCss);
            foreach (var (rate, value) in points)
                frame.Marks.Mark(x[rate], y[value], series.Shape, series.MarkCss,
                    $"{series.Name} at {Quantity.Count(rate)}/s: {term.Name} "
                        + (term.IsOfFailures ? Quantity.Percent(value) : Quantity.Duration(value)), 3);
            if (found.Interval is { } interval)
                frame.Marks.Rectangle(x[interval.Low], y[term.Limit] - 3, x[interval.High] - x[interval.Low], 6, series.BarCss,
                    $"{series.Name}: {Quantity.Count(found.Rate)}/s [{Quantity.Count(interval.Low)}, {Quantity.Count(interval.High)}]");
        }
        return frame.ToPanel(Arms.NameOf(lines[0].Series.Run, lines[0].Found.Cell.Workload, withLoad: false), $"{term.Name} against rate");
    }

    // If the objective has several terms, the first term with a time limit is drawn, because failures rarely break an objective.
    private static ObjectiveTerm TermOf(RateSearchResult found) =>
        found.Objective.Terms.FirstOrDefault(one => !one.IsOfFailures) ?? found.Objective.Terms[0];

    /// <summary>
    /// Lists the windows that have a value, sorted by rate. A share below a hundredth of the limit is raised to this hundredth,
    /// because a share of 0 has no place on a logarithmic axis.
    /// </summary>
    private static List<(double Rate, double Value)> Points(RateSearchResult found, ObjectiveTerm term) =>
    [
        .. from one in found.Windows
           let value = RateSearchSentences.ValueOf(term, one.Window)
           where value is not null
           orderby one.Window.Record.AskedRate
           select (one.Window.Record.AskedRate, Math.Max(value.Value, term.IsOfFailures ? term.Limit / 100 : 1)),
    ];
}
