using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>Where the words of a run go: results to stdout, progress to stderr; with <c>--format</c> the transcript is progress too.</summary>
internal sealed class RunConsole(OutputOptions options, TextWriter output, TextWriter error)
{
    public RunConsole(OutputOptions options)
        : this(options, Console.Out, Console.Error)
    {
    }

    public OutputOptions Options => options;

    /// <summary>The report, and nothing else when a format is asked for.</summary>
    public TextWriter Results => output;

    /// <summary>Rounds and cells as they are measured; nowhere for crank, which wants its block alone.</summary>
    public TextWriter Transcript => options.Crank ? TextWriter.Null : options.Format is null ? output : error;

    /// <summary>What is going on; crank takes every line on stderr for a failure.</summary>
    public TextWriter Progress => options.Crank ? TextWriter.Null : error;

    /// <summary>One line that the reader should not miss.</summary>
    public void Note(string sentence) => Progress.WriteLine(sentence);

    /// <summary>What watches this run: a live view on a terminal, plain lines elsewhere.</summary>
    public RunView Observe(RunOptions run, BenchPlan plan, RunProgress progress, Interruption interruption) => new(this, run, plan, options.Crank
        ? new SilentProgress()
        : LiveScreen.IsPossible(error) ? new LiveScreen(run, plan, progress, interruption) : new PlainProgress(plan, run.Rounds, error));
}
