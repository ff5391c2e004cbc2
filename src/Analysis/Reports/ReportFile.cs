using IpcBench.Analysis.Measures;

namespace IpcBench.Analysis.Reports;

/// <summary>One run in a report, and the name that tells it from the others.</summary>
public sealed record ReportFile(string Name, MeasuredRun Run);
