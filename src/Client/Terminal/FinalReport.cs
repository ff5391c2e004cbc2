using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>What a run ends with: the original's rows and the comparison, or the report that was asked for.</summary>
internal static class FinalReport
{
    public static void Write(RunConsole console, RunJournal journal)
    {
        var record = journal.Record;
        if (record.Rounds.Count == 0)
            return;
        if (console.Options.Crank)
            console.Results.Write(CrankStatistics.Of(record));
        else if (console.Options.Format is { } format)
            console.Results.Write(Reports.Find(format)!.Make(new ReportModel(record)));
        else
            console.Results.Write(Transcript.FinalResults(record) + "\n" + Reports.Find("text")!.Make(new ReportModel(record)));
        if (journal.File is { } file && journal.Unsaved is null)
            console.Progress.WriteLine($"\nEvery round is in {file} (GrpcBench report {file} --format html -o report.html)");
    }
}
