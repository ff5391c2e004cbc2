using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Cli;

/// <summary><c>--resume FILE -r +4</c>: adds rounds to a saved run. FILE has the run's command line, from which the plan is made.</summary>
internal sealed class Resume
{
    public const string Usual = "+4";
    private const int MostRounds = 1000;

    private readonly Resumption kept;
    private readonly OutputOptions output;

    private Resume(Resumption kept, OutputOptions output) => (this.kept, this.output) = (kept, output);

    /// <summary>The command line that has <c>--resume</c>. The results file keeps the command line of the first run.</summary>
    public IReadOnlyList<string> CommandLine { get; private set; } = [];

    /// <exception cref="UsageException">The run cannot be continued, or an option cannot be combined with <c>--resume</c>.</exception>
    public static Resume Open(string file, ParseResult typed, RunCommandOptions options)
    {
        Option[] allowed = [options.Resume, options.Rounds, options.Verbose, options.Format, options.Output];
        foreach (var other in typed.CommandResult.Children.OfType<OptionResult>().Where(one => !one.Implicit))
        {
            if (!allowed.Contains(other.Option))
            {
                throw new UsageException(
                    "--resume takes all options from the file, except -r, -v, --format and -o of a report: leave out "
                        + $"{other.Option.Name}");
            }
        }
        var rounds = typed.GetValue(options.Rounds) ?? Usual;
        if (!rounds.StartsWith('+'))
            throw new UsageException($"--resume adds rounds, so -r '{rounds}' needs a plus sign: write -r {Usual}");
        var more = Parsers.Integer(rounds[1..], "-r", 1, MostRounds);
        var (results, reports) = ReportEnding.Divide(typed.GetValue(options.Output) ?? []);
        if (results is not null)
            throw new UsageException($"--resume adds the new rounds to {file}: leave out -o {results}, or write -o page.html for a report");
        return new Resume(
            Resumption.Open(file, more),
            new OutputOptions { Verbose = typed.GetValue(options.Verbose), Format = typed.GetValue(options.Format), Reports = reports });
    }

    /// <summary>Parses the command line of the saved run and measures the added rounds.</summary>
    public async Task<int> RunAsync(IReadOnlyList<string> commandLine, Func<IReadOnlyList<string>, Resume, RootCommand> again)
    {
        CommandLine = commandLine;
        kept.CheckMachine(HostRecord.Read());
        var first = kept.Kept.CommandLine;
        var typed = again(first, this).Parse(first, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (typed.Action is ParseErrorAction)
            throw new UsageException($"--resume: {kept.File} has options that this version does not know: {string.Join(" ", first)}");
        return await typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
    }

    public RunOptions Apply(RunOptions asked) => kept.Apply(asked, output);
}
