using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>An advice as sentences, whoever wrote it.</summary>
public static class AdviceText
{
    public static string Doubt(Advice advice) => Sentence(advice.Doubt);

    public static string Fix(Advice advice) => Sentence(advice.Fix);

    public static string Both(Advice advice) => $"{Doubt(advice)} {Fix(advice)}".Trim();

    private static string Sentence(string text)
    {
        var trimmed = text.Trim();
        return trimmed.Length == 0 ? "" : char.ToUpperInvariant(trimmed[0]) + trimmed[1..] + (trimmed[^1] is '.' or '!' or '?' ? "" : ".");
    }
}
