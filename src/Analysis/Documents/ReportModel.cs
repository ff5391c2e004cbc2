using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Documents;

/// <summary>The content of every report: the runs of one or more files, with distinct names.</summary>
public sealed class ReportModel
{
    public ReportModel(IEnumerable<(string Name, RunRecord Run)> files) =>
        Files = [.. files.Select(file => new NamedRun(file.Name, new MeasuredRun(file.Run)))];

    public ReportModel(RunRecord run) : this([(run.Label, run)])
    {
    }

    public IReadOnlyList<NamedRun> Files { get; }
}
