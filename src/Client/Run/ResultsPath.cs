using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Where a run's file goes.</summary>
internal static class ResultsPath
{
    private static string OsName => RuntimeInformation.RuntimeIdentifier.Split('-')[0];

    /// <summary>
    /// The file that was asked for, or <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c> below the current folder, which is
    /// made here so that no other run takes it; null when nothing is saved.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder cannot be written.</exception>
    public static string? Of(OutputOptions options, DateTimeOffset started) =>
        !options.Save ? null : options.File ?? Reserve("results", NameOf(options, started));

    /// <summary>A name for a run without a folder and ending.</summary>
    public static string NameOf(OutputOptions options, DateTimeOffset started)
    {
        var label = string.Concat(options.Label.Select(letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '_' ? letter : '-'));
        return string.Create(CultureInfo.InvariantCulture,
            $"{started.UtcDateTime:yyyyMMdd'T'HHmmss'Z'}-{OsName}{(label.Length > 0 ? "-" + label : "")}");
    }

    /// <summary>
    /// Makes an empty file <c>name.json</c>, or <c>name-2.json</c> and so on where that is taken: two runs of the same second never share
    /// one.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder cannot be written.</exception>
    public static string Reserve(string folder, string name)
    {
        var path = Path.Combine(folder, name + ".json");
        try
        {
            Directory.CreateDirectory(folder);
            for (var number = 2; !TryMake(path); number++)
                path = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{name}-{number}.json"));
            return path;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new ResultsFileException($"cannot write {path}: {e.Message.ReplaceLineEndings(" ").Trim()}", e);
        }

        static bool TryMake(string path)
        {
            try
            {
                using var made = new FileStream(path, FileMode.CreateNew, FileAccess.Write); // O_EXCL
                return true;
            }
            catch (IOException) when (Path.Exists(path))
            {
                return false;
            }
        }
    }
}
