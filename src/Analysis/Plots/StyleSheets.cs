
namespace IpcBench.Analysis.Plots;

/// <summary>
/// The style sheets next to this file, as embedded resources. The style of pictures has light and dark colours that
/// colour-blind readers can distinguish (after Okabe and Ito 2008), in addition to shapes. The style of pages is for
/// screens, phones and paper.
/// </summary>
internal static class StyleSheets
{
    /// <summary>The style of pictures.</summary>
    public static string Plots { get; } = Read("plots.css");

    /// <summary>The style of a page, without the style of its pictures.</summary>
    public static string Page { get; } = Read("page.css");

    /// <summary>The script that sorts the tables of a page. The page works without the script.</summary>
    public static string Script { get; } = Read("page.js");

    private static string Read(string name)
    {
        using var reader = new StreamReader(typeof(StyleSheets).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
