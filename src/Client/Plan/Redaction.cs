using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>Hides the secrets of the command line, so that the command line may be printed and kept in files that are shared.</summary>
internal static class Redaction
{
    // Headers that hold no credentials keep their values.
    private static readonly string[] Harmless = ["content-type", "accept", "user-agent", "te"];

    // Options whose values are messages, which may hold secrets.
    private static readonly string[] Messages = ["--data", "--expect"];

    /// <summary>
    /// Returns the arguments with the values of headers and messages hidden, and without the user names, passwords and queries of
    /// URLs.
    /// </summary>
    public static IReadOnlyList<string> Without(IReadOnlyList<string> commandLine)
    {
        var kept = new List<string>(commandLine.Count);
        var (isHeader, isMessage) = (false, false);
        foreach (var argument in commandLine)
        {
            var header = isHeader ? 0 : isMessage ? -1 : HeaderStart(argument);
            var message = isMessage ? 0 : isHeader ? -1 : MessageStart(argument);
            kept.Add(header >= 0 ? argument[..header] + Header(argument[header..])
                : message >= 0 ? argument[..message] + Message(argument[message..])
                : Server(argument));
            var isValue = isHeader || isMessage;
            isHeader = !isValue && (argument == "--header" || HeaderLetter(argument) == argument.Length - 1);
            isMessage = !isValue && Messages.Contains(argument);
        }
        return kept;
    }

    /// <summary>Returns the sentence without the secrets of arguments that the sentence quotes.</summary>
    public static string Without(string sentence, IReadOnlyList<string> commandLine)
    {
        var hidden = commandLine.Zip(Without(commandLine)).Where(pair => pair.First != pair.Second);
        foreach (var (typed, shown) in hidden.OrderByDescending(pair => pair.First.Length))
            sentence = sentence.Replace(typed, shown, StringComparison.Ordinal);
        return sentence;
    }

    /// <summary>Returns a server without the secrets of its URL, or of its command if children serve it (<c>stdio:COMMAND</c>).</summary>
    public static string Server(string text)
    {
        const string child = Address.Child.Stdio + ":";
        var at = text.IndexOf(child, StringComparison.Ordinal) + child.Length;
        // A name or an option may stand before the command. In any other place, the word is a part of a URL or a text.
        if (at < child.Length || !text[..(at - child.Length)].All(letter => char.IsAsciiLetterOrDigit(letter) || "-_.=:".Contains(letter)))
            return UrlText.WithoutSecrets(text);
        try
        {
            var words = Parsers.Words(text[at..], child);
            var shown = Without(words);
            return shown.SequenceEqual(words) ? text : text[..at] + string.Join(' ', shown);
        }
        catch (UsageException)
        {
            return UrlText.WithoutSecrets(text);
        }
    }

    /// <summary>
    /// Returns a header as <c>Name: value</c> or <c>Name: (hidden)</c>. <c>@FILE</c> and <c>$VARIABLE</c> stay, since
    /// only their content is secret.
    /// </summary>
    public static string Header(string text)
    {
        if (HeaderTexts.IsElsewhere(text))
            return text;
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            return UrlText.Hidden;
        return Harmless.Contains(text[..colon].Trim(), StringComparer.OrdinalIgnoreCase) ? text : text[..colon] + ": " + UrlText.Hidden;
    }

    // The name of a file is not secret, but its content may be.
    private static string Message(string text) => text is ['@', ..] or "-" ? text : UrlText.Hidden;

    /// <summary>Returns the index of the message in <c>--data=…</c>. −1 without a message.</summary>
    private static int MessageStart(string argument) =>
        Array.Find(Messages, name => argument.StartsWith(name, StringComparison.Ordinal)
            && argument.AsSpan(name.Length) is ['=' or ':', ..]) is { } found ? found.Length + 1 : -1;

    /// <summary>Returns the index of the header in <c>--header=…</c>, <c>-H…</c> and <c>-lH…</c>. −1 without a header.</summary>
    private static int HeaderStart(string argument)
    {
        const string name = "--header";
        if (argument.StartsWith(name, StringComparison.Ordinal) && argument.AsSpan(name.Length) is ['=' or ':', ..])
            return name.Length + 1;
        var letter = HeaderLetter(argument);
        if (letter < 0 || letter == argument.Length - 1)
            return -1;
        return argument[letter + 1] is '=' or ':' ? letter + 2 : letter + 1;
    }

    /// <summary>
    /// Returns the index of H in <c>-H</c> or after letters, as in <c>-lH</c>. −2 in other words, for example <c>-DHOME=/x</c> of
    /// a user's command.
    /// </summary>
    private static int HeaderLetter(string argument)
    {
        if (argument is not ['-', not 'D', ..])
            return -2;
        var i = 1;
        while (i < argument.Length - 1 && argument[i] != 'H' && char.IsAsciiLetter(argument[i]))
            i++;
        return argument[i] == 'H' ? i : -2;
    }
}
