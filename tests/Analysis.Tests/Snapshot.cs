using System.Globalization;
using System.Runtime.CompilerServices;

namespace IpcBench.Analysis.Tests;

/// <summary>Compares a text with the approved text beside the tests; <c>UPDATE_SNAPSHOTS=1</c> approves the new text.</summary>
internal static class Snapshot
{
    private static readonly string[] Cultures = ["", "de-DE", "tr-TR"];

    /// <summary>Makes the text under the invariant, a German and a Turkish culture: each must equal the approved text.</summary>
    public static void Verify(string name, Func<string> make, [CallerFilePath] string source = "")
    {
        var path = Path.Combine(Path.GetDirectoryName(source)!, "Snapshots", name);
        foreach (var culture in Cultures)
        {
            var made = Under(culture, make);
            if (culture.Length == 0 && Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1")
                File.WriteAllText(path, made);
            Assert.True(File.Exists(path), $"{path} is missing: look at what UPDATE_SNAPSHOTS=1 writes, and commit it");
            Assert.Equal(File.ReadAllText(path).ReplaceLineEndings("\n"), made);
        }
    }

    /// <summary>Makes the text under all of these cultures, which must agree.</summary>
    public static string InEveryCulture(Func<string> make) => Assert.Single(Cultures.Select(culture => Under(culture, make)).Distinct());

    private static string Under(string culture, Func<string> make)
    {
        var (before, beforeUi) = (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture);
        try
        {
            CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = CultureInfo.GetCultureInfo(culture);
            return make();
        }
        finally
        {
            (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture) = (before, beforeUi);
        }
    }
}
