using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>What was typed, as it may be printed and kept in files that are shown to others.</summary>
internal static class Secrets
{
    // Headers that hold no credentials: their values are kept.
    private static readonly string[] Harmless = ["content-type", "accept", "user-agent", "te"];

    /// <summary>The arguments, with the values of headers and the users and queries of URLs left out.</summary>
    public static IReadOnlyList<string> Without(IReadOnlyList<string> commandLine)
    {
        var kept = new List<string>(commandLine.Count);
        var isHeader = false;
        foreach (var argument in commandLine)
        {
            var start = isHeader ? 0 : HeaderStart(argument);
            kept.Add(start >= 0 ? argument[..start] + Header(argument[start..]) : UrlText.WithoutSecrets(argument));
            isHeader = !isHeader && (argument == "--header" || argument is ['-', not '-', ..] && argument[^1] == 'H');
        }
        return kept;
    }

    /// <summary>A sentence that may quote arguments, with their secrets left out.</summary>
    public static string Without(string sentence, IReadOnlyList<string> commandLine)
    {
        var hidden = commandLine.Zip(Without(commandLine)).Where(pair => pair.First != pair.Second);
        foreach (var (typed, shown) in hidden.OrderByDescending(pair => pair.First.Length))
            sentence = sentence.Replace(typed, shown, StringComparison.Ordinal);
        return sentence;
    }

    /// <summary><c>Name: value</c>, or <c>Name: (hidden)</c>.</summary>
    public static string Header(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            return UrlText.Hidden;
        return Harmless.Contains(text[..colon].Trim(), StringComparer.OrdinalIgnoreCase) ? text : text[..colon] + ": " + UrlText.Hidden;
    }

    /// <summary>Where the header begins in <c>--header=…</c>, <c>-H…</c> and <c>-lH…</c>; −1 where there is none.</summary>
    private static int HeaderStart(string argument)
    {
        const string name = "--header";
        if (argument.StartsWith(name, StringComparison.Ordinal) && argument.AsSpan(name.Length) is ['=' or ':', ..])
            return name.Length + 1;
        var letter = argument is ['-', not '-', ..] ? argument.IndexOf('H', StringComparison.Ordinal) : -1;
        if (letter < 0 || letter == argument.Length - 1)
            return -1;
        return argument[letter + 1] is '=' or ':' ? letter + 2 : letter + 1;
    }
}
