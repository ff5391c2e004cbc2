using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Where a run's file goes.</summary>
internal static class ResultsPath
{
    private static string OsName => RuntimeInformation.RuntimeIdentifier.Split('-')[0];

    /// <summary>
    /// The file that was asked for, or a new one, <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c> below the current folder,
    /// which holds the run from its first moment and which no other run takes; null when nothing is saved.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder cannot be written.</exception>
    public static string? Of(OutputOptions options, RunRecord run) =>
        !options.Save ? null : options.File ?? Make("results", NameOf(options, run.Started), run);

    /// <summary>A name for a run without a folder and ending.</summary>
    public static string NameOf(OutputOptions options, DateTimeOffset started)
    {
        // Letters of any language; what a file system or a shell might take for something else does not go in.
        var label = string.Concat(options.Label.EnumerateRunes().Select(letter => Rune.IsLetterOrDigit(letter)
            || Rune.GetUnicodeCategory(letter) is UnicodeCategory.NonSpacingMark or UnicodeCategory.SpacingCombiningMark
            || letter.Value is '.' or '_' ? letter.ToString() : "-"));
        return string.Create(CultureInfo.InvariantCulture,
            $"{started.UtcDateTime:yyyyMMdd'T'HHmmss'Z'}-{OsName}{(label.Length > 0 ? "-" + label : "")}");
    }

    /// <summary>Gives a name back under which nothing was measured.</summary>
    public static void Remove(string file)
    {
        try
        {
            File.Delete(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It stays, and says that nothing was measured.
        }
    }

    /// <summary>
    /// Makes <c>name.json</c> of a run, or <c>name-2.json</c> and so on where that is taken: two runs of the same second never share one.
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
