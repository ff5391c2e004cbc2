namespace IpcBench.Analysis.Wording;

/// <summary>Words of a command that can be pasted into a shell.</summary>
public static class ShellWord
{
    /// <summary>Quotes a word, if that is necessary, so that a shell of Linux or of Windows takes the text as one word.</summary>
    public static string Quoted(string word, bool forWindows = false) =>
        word.Length > 0 && word.All(letter => char.IsAsciiLetterOrDigit(letter) || "/:._-+@%,=".Contains(letter, StringComparison.Ordinal)
            || (forWindows && letter == '\\'))
            ? word : forWindows ? $"\"{word}\"" : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
}
