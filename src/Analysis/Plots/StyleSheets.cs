namespace IpcBench.Analysis.Plots;

/// <summary>
/// The style sheets beside this file, in the assembly. Pictures: colours and letters, light and dark; hues that stay apart for the
/// colour-blind (after Okabe and Ito 2008), and shapes beside them. Pages: calm, on a phone and on paper too.
/// </summary>
internal static class StyleSheets
{
    /// <summary>Variables and marks of pictures.</summary>
    public static string Plots { get; } = Read("plots.css");

    /// <summary>What a page has beyond its pictures.</summary>
    public static string Page { get; } = Read("page.css");

    private static string Read(string name)
    {
        using var reader = new StreamReader(typeof(StyleSheets).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
