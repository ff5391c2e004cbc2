using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Where a run's file goes.</summary>
internal static class ResultsPath
{
    private static string OsName => RuntimeInformation.RuntimeIdentifier.Split('-')[0];

    /// <summary>The file that was asked for, or <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c> below the current folder; null when nothing is saved.</summary>
    public static string? Of(OutputOptions options, DateTimeOffset started)
    {
        if (!options.Save)
            return null;
        if (options.File is { } file)
            return file;
        var label = string.Concat(options.Label.Select(letter => char.IsAsciiLetterOrDigit(letter) || letter is '.' or '_' ? letter : '-'));
        var name = string.Create(CultureInfo.InvariantCulture, $"{started.UtcDateTime:yyyyMMdd'T'HHmmss'Z'}-{OsName}{(label.Length > 0 ? "-" + label : "")}");
        var path = Path.Combine("results", name + ".json");

        // Two runs of the same second must not overwrite each other.
        return File.Exists(path) ? Path.Combine("results", string.Create(CultureInfo.InvariantCulture, $"{name}-{Environment.ProcessId}.json")) : path;
    }
}
