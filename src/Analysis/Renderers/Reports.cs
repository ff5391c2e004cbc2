namespace IpcBench.Analysis.Renderers;

/// <summary>All reports. A new report needs one line here.</summary>
public static class Reports
{
    public static IReadOnlyList<IReport> All { get; } = [new TextReport(), new MarkdownReport(), new CsvReport(), new WideCsvReport(),
        new RunsCsvReport(), new JsonReport(), new HtmlReport(), new SvgReport(), new HgrmReport(), new WrkReport(), new PublishedReport(),
        new AaReport(), new JunitReport(), new BencherReport(), new ActionBenchmarkReport(), new PrometheusReport(),
        new SpeedscopeReport()];

    /// <summary>Finds the report for a format. Null when there is no such format.</summary>
    public static IReport? Find(string format) =>
        All.FirstOrDefault(report => string.Equals(report.Format, format, StringComparison.OrdinalIgnoreCase));
}
