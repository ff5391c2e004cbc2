using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>The sheet that the script of the 2014 write-up made: a row for each transport and size, a column for each run with its milliseconds.</summary>
public sealed class RunsCsvReport : IReport
{
    public string Format => "runs-csv";

    public string Make(ReportModel model)
    {
        var cells = model.Files.SelectMany(file => file.Run.Cells).Where(cell => cell.Rounds.Count > 0).OrderBy(cell => cell.Key.Transport == "tcp").ToList();
        var runs = cells.Select(cell => cell.Rounds.Count).DefaultIfEmpty(0).Max();
        var text = new StringBuilder("NAME").AppendJoin("", Enumerable.Range(0, runs).Select(run => Invariant($",RUN {run}"))).Line();
        foreach (var cell in cells)
            text.AppendJoin(',', cell.Rounds.Select(WideCsvReport.Milliseconds).Prepend(CsvReport.Quote(NameOf(cell)))).Line();
        return text.ToString();
    }

    private static string NameOf(MeasuredCell cell)
    {
        var name = WideCsvReport.NameOf(cell);
        return Invariant($"{(name is "unix" ? "UDS" : name.ToUpperInvariant())} Size {cell.Key.Size}");
    }
}
