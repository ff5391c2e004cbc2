using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Wording;
using Spectre.Console;

namespace IpcBench.Client.Terminal;

/// <summary>The destination of standard output: a terminal, a file or a pipe.</summary>
/// <param name="IsTerminal">True for a terminal. False for a file or a pipe.</param>
/// <param name="IsColoured">True when the terminal has colours and the user did not switch them off (NO_COLOR, TERM=dumb).</param>
internal sealed record Screen(bool IsTerminal, int Width = 80, bool IsColoured = false)
{
    private const int Narrowest = 40;

    public static Screen OfOutput()
    {
        if (Console.IsOutputRedirected)
            return new Screen(false);
        // On Windows this also enables escape sequences.
        var profile = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Out) }).Profile;
        return new Screen(true, Math.Max(Narrowest, profile.Width),
            profile.Capabilities is { Ansi: true } capabilities && capabilities.ColorSystem != ColorSystem.NoColors);
    }

    /// <summary>Prints a sentence on standard error. On a terminal the sentence is wrapped between words.</summary>
    public static void Say(string sentence)
    {
        var width = Console.IsErrorRedirected ? (int?)null : Math.Max(Narrowest, Console.WindowWidth);
        // The sentence may be followed by lines of a server's output.
        var parts = PrintableText.Of(sentence).Split('\n');
        foreach (var line in parts.SelectMany((part, i) => TextWrapping.Lines(part.TrimStart(), width, i == 0 ? "" : "  ", "  ")))
            Console.Error.WriteLine(line);
    }

    /// <summary>Returns the layout of the report at the end of a run, which is brief unless the user asked for all tables (-v).</summary>
    public TextLayout OfRun(bool verbose) => new(IsTerminal ? Width : null, IsColoured, IsBrief: !verbose);

    /// <summary>Returns the layout of reports: on a terminal wrapped, and brief without -v; in a file complete and unwrapped.</summary>
    public TextLayout Layout(bool verbose) => IsTerminal ? new TextLayout(Width, IsColoured, IsBrief: !verbose) : new TextLayout();
}
