using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>What was measured, for a run whose own file could not be written in the end.</summary>
internal static class RunRescue
{
    /// <summary>Puts it into a file of the temporary folder, else onto standard output as JSON, and says which.</summary>
    public static void Offer(RunRecord record, OutputOptions options, IRunObserver observer)
    {
        try
        {
            var path = ResultsPath.Make(Path.GetTempPath(), "grpcbench-" + ResultsPath.NameOf(options, record.Started), record);
            observer.Note($"what was measured is in {path}");
        }
        catch (ResultsFileException e)
        {
            if (options.Crank)
                return; // its block holds the run, whole
            observer.Note($"{e.Message}; what was measured follows on standard output as JSON");
            observer.Unkept(record);
        }
    }
}
