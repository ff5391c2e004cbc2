using IpcBench.Analysis.Renderers;
using Spectre.Console;

namespace IpcBench.Client.Terminal;

/// <summary>What reads standard output.</summary>
/// <param name="IsTerminal">Somebody looks at it; else it is a file or a pipe.</param>
/// <param name="Width">Columns of the terminal.</param>
/// <param name="IsColoured">It understands colours, and nobody asked for none (NO_COLOR, TERM=dumb).</param>
internal sealed record Screen(bool IsTerminal, int Width = 80, bool IsColoured = false)
{
    private const int Narrowest = 40;

    public static Screen OfOutput()
    {
        if (Console.IsOutputRedirected)
            return new Screen(false);
        // On Windows this also switches the console's escape sequences on.
        var profile = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Out) }).Profile;
        return new Screen(true, Math.Max(Narrowest, profile.Width),
            profile.Capabilities is { Ansi: true } capabilities && capabilities.ColorSystem != ColorSystem.NoColors);
    }

    /// <summary>How a report is laid out there; a file gets all of it, in lines as long as they are.</summary>
    public TextLayout Layout(bool verbose) => IsTerminal ? new TextLayout(Width, IsColoured, IsBrief: !verbose) : new TextLayout();
}
