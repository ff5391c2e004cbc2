using System.Text;

namespace IpcBench.Analysis.Reports;

/// <summary>For a terminal.</summary>
public sealed class TextReport : IReport
{
    public string Format => "text";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        foreach (var file in model.Files)
            text.Append(SummaryTable.Of(file.Run).ToText());
        return text.ToString();
    }
}
