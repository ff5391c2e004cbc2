using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>What was measured, for a run whose own file could not be written in the end.</summary>
internal static class RunRescue
{
    /// <summary>Puts it into a file of the temporary folder, else onto standard output as JSON, and says which.</summary>
    public static void Offer(RunRecord record, OutputOptions options, IRunObserver observer)
    {
        var path = "";
        try
        {
            path = ResultsPath.Reserve(Path.GetTempPath(), "grpcbench-" + ResultsPath.NameOf(options, record.Started));
            ResultsFile.Save(path, record);
            observer.Note($"what was measured is in {path}");
        }
        catch (ResultsFileException e)
        {
            Remove(path);
            if (options.Crank)
                return; // its block holds the run, whole
            observer.Note($"{e.Message}; what was measured follows on standard output as JSON");
            observer.Unkept(record);
        }
    }

    /// <summary>A reserved name that nothing was written to is not left behind.</summary>
    public static void Remove(string path)
    {
        try
        {
            if (path.Length > 0 && new FileInfo(path) is { Exists: true, Length: 0 })
                File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Then an empty file stays; the sentence about the disk is the one that counts.
        }
    }
}
