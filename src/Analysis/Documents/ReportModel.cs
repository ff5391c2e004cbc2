using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Documents;

/// <summary>What every report is made from: the runs of one or more files, each with the name that tells it from the others.</summary>
public sealed class ReportModel
{
    public ReportModel(IEnumerable<(string Name, RunRecord Run)> files) =>
        Files = [.. files.Select(file => new NamedRun(file.Name, new MeasuredRun(file.Run)))];

    /// <summary>The report of one run.</summary>
    public ReportModel(RunRecord run) : this([(run.Label, run)])
    {
    }

    public IReadOnlyList<NamedRun> Files { get; }
}
