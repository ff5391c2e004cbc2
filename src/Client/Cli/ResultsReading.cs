using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Cli;

/// <summary>Reads the results files that were named, each under a name that tells it from the others.</summary>
internal static class ResultsReading
{
    /// <exception cref="EnvironmentException">A file cannot be read or is not a results file.</exception>
    public static IReadOnlyList<(string Name, RunRecord Run)> Read(IReadOnlyList<string> paths)
    {
        try
        {
            var runs = paths.Select(path => Load(path)).ToList();
            return [.. paths.Zip(NamesOf(paths, runs), runs).Select(file => (file.Second, file.Third))];
        }
        catch (ResultsFileException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    // Read once: what is named may be a pipe.
    private static RunRecord Load(string path)
    {
        var json = ResultsFile.Read(path);
        return CrankFile.TryParse(json, path) ?? ResultsFile.Parse(json, path);
    }

    public static ReportModel Model(IReadOnlyList<string> paths) => new(Read(paths));

    /// <summary>Labels where they tell the files apart, else file names, else whole paths.</summary>
    private static IReadOnlyList<string> NamesOf(IReadOnlyList<string> paths, List<RunRecord> runs)
    {
        var labels = runs.ConvertAll(run => run.Label);
        if (labels.TrueForAll(label => label.Length > 0) && labels.Distinct().Count() == labels.Count)
            return labels;
        var names = paths.Select(path => Path.GetFileNameWithoutExtension(path)).ToList();
        return names.Distinct().Count() == names.Count ? names : paths;
    }
}
