using System.Globalization;
using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Renderers;

/// <summary>One row a run: transport, size, and the milliseconds that all its packets took.</summary>
public sealed class WideCsvReport : IReport
{
    public string Format => "wide-csv";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder("transport,size,total_ms,packets,run\n");
        foreach (var cell in model.Files.SelectMany(file => file.Run.Cells))
        {
            foreach (var round in cell.Rounds)
                text.Append(CultureInfo.InvariantCulture, $"{CsvReport.Quote(NameOf(cell))},{cell.Key.Size},{Milliseconds(round)},{round.Record.Completed},{round.Record.Number}\n");
        }
        return text.ToString();
    }

    /// <summary>The transport, and whatever else sets the arm apart.</summary>
    internal static string NameOf(MeasuredCell cell) => cell.Key is { Protocol: "echo", Variant: "" } ? cell.Key.Transport : cell.Key.Arm;

    internal static string Milliseconds(MeasurementView round) => (round.Record.WindowNs / 1e6).ToString("0.###", CultureInfo.InvariantCulture);
}
