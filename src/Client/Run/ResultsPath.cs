using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Chooses the path of a run's results file.</summary>
internal static class ResultsPath
{
    private static string OsName => RuntimeInformation.RuntimeIdentifier.Split('-')[0];

    /// <summary>
    /// Returns the requested file, or a new file <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c> in the
    /// current folder. The new file is created at once, so that no other run takes its name. Returns null when nothing
    /// is saved.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder cannot be written.</exception>
    public static string? For(OutputOptions options, RunRecord run) =>
        !options.Save ? null : options.File ?? Make("results", NameOf(options, run.Started), run);

    /// <summary>Returns the name of a run's file without folder and extension.</summary>
    public static string NameOf(OutputOptions options, DateTimeOffset started)
    {
        // Letters of any language are kept. Characters that a file system or a shell may interpret are replaced.
        var label = string.Concat(options.Label.EnumerateRunes().Select(letter => Rune.IsLetterOrDigit(letter)
            || Rune.GetUnicodeCategory(letter) is UnicodeCategory.NonSpacingMark or UnicodeCategory.SpacingCombiningMark
            || letter.Value is '.' or '_' ? letter.ToString() : "-"));
        return string.Create(CultureInfo.InvariantCulture,
            $"{started.UtcDateTime:yyyyMMdd'T'HHmmss'Z'}-{OsName}{(label.Length > 0 ? "-" + label : "")}");
    }

    /// <summary>
    /// Creates <c>name.json</c> for a run. If the name is taken, creates <c>name-2.json</c> and so on, so that two
    /// runs never share a file.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder cannot be written.</exception>
    public static string Make(string folder, string name, RunRecord run)
    {
        var path = Path.Combine(folder, name + ".json");
        for (var number = 2; !ResultsFile.TryMake(path, run); number++)
            path = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{name}-{number}.json"));
        return path;
    }
}

/// <summary>Saves the measurements of a run whose results file could not be written at the end of the run.</summary>
internal static class RunRescue
{
    /// <summary>
    /// Writes the run into the temporary folder. If this fails, writes it to standard output as JSON. Tells the user
    /// where the run is.
    /// </summary>
    public static void Offer(RunRecord record, OutputOptions options, IRunObserver observer)
    {
        try
        {
            var path = ResultsPath.Make(Path.GetTempPath(), "grpcbench-" + ResultsPath.NameOf(options, record.Started), record);
            observer.Note($"the run was saved in {path}");
        }
        catch (ResultsFileException e)
        {
            if (options.Crank)
                return; // the block for crank holds the whole run
            observer.Note($"{e.Message}; the run follows on standard output as JSON");
            observer.Unkept(record);
        }
    }
}
