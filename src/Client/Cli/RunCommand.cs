using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary>Makes the commands that measure and compare: the main command, and the commands that differ from it by their preset.</summary>
internal static class RunCommand
{
    /// <summary>Makes a subcommand with this preset.</summary>
    public static Command Create(Preset preset, IReadOnlyList<string> commandLine, Resume? resume)
    {
        var command = new MeasuringCommand(preset);
        AddTo(command, preset, commandLine, resume);
        return command;
    }

    /// <summary>Makes <paramref name="command"/> measure when it is invoked without a subcommand.</summary>
    /// <param name="command">Gets the options and the action.</param>
    /// <param name="service">The options about the user's service. Null when the command has none.</param>
    /// <param name="again">Makes all commands once more, to parse the command line of the saved run for <c>--resume</c>.</param>
    public static void AddTo(
        Command command, Preset preset, IReadOnlyList<string> commandLine, Resume? resume, ServiceOptions? service = null,
        Func<IReadOnlyList<string>, Resume, RootCommand>? again = null)
    {
        var options = new RunCommandOptions(preset);
        foreach (var option in options.Offered.Concat(service?.Offered ?? []))
            command.Options.Add(option);
        // Only the main command has --resume, since the results file names the command of its run.
        if (service is not null)
            command.Options.Add(options.Resume);
        command.SetAction(async (typed, _) =>
        {
            if (typed.GetValue(options.Resume) is { } file)
                return await Resume.Open(file, typed, options).RunAsync(commandLine, again!);
            var asked = new RunOptionsReader(options, typed, service: service).Read();
            return service?.IsAsked(typed) == true
                ? await service.ShowAsync(typed, asked) : await MeasureAsync(asked, commandLine, resume);
        });
    }

    /// <summary>Measures and prints the results.</summary>
    public static async Task<int> MeasureAsync(RunOptions asked, IReadOnlyList<string> commandLine, Resume? resume)
    {
        var options = resume?.Apply(asked) ?? asked;
        using var view = RunView.For(options);
        return await new RunSession(options, resume?.CommandLine ?? commandLine, view).RunAsync();
    }
}

/// <summary>A command that measures, with the parts of the help that are its own.</summary>
internal sealed class MeasuringCommand(string name, string description) : Command(name, description)
{
    public MeasuringCommand(Preset preset)
        : this(preset.Name, preset.Description) => Examples = preset.Examples;

    /// <summary>The command's own examples for the help. Null means the examples of the main help that begin with its name.</summary>
    public string? Examples { get; }
}

/// <summary><c>--resume FILE -r +4</c>: adds rounds to a saved run. Its file has the command line, from which the plan is made.</summary>
internal sealed class Resume
{
    public const string Usual = "+4";
    private const int MostRounds = 1000;

    private readonly Resumption kept;
    private readonly OutputOptions output;

    private Resume(Resumption kept, OutputOptions output) => (this.kept, this.output) = (kept, output);

    /// <summary>The command line that has <c>--resume</c>. The results file keeps the command line of the first run.</summary>
    public IReadOnlyList<string> CommandLine { get; private set; } = [];

    /// <exception cref="UsageException">The run cannot be continued, or an option does not go with <c>--resume</c>.</exception>
    public static Resume Open(string file, ParseResult typed, RunCommandOptions options)
    {
        Option[] allowed = [options.Resume, options.Rounds, options.Verbose, options.Format, options.Output];
        foreach (var other in typed.CommandResult.Children.OfType<OptionResult>().Where(one => !one.Implicit))
        {
            if (!allowed.Contains(other.Option))
            {
                throw new UsageException(
                    "with --resume all options except -r, -v, --format and -o of a report come from the file: leave out "
                        + $"{other.Option.Name}");
            }
        }
        var rounds = typed.GetValue(options.Rounds) ?? Usual;
        if (!rounds.StartsWith('+'))
            throw new UsageException($"-r '{rounds}' with --resume needs a plus sign, which adds rounds: write -r {Usual}");
        var more = Parsers.Integer(rounds[1..], "-r", 1, MostRounds);
        var (results, reports) = ReportEnding.Divide(typed.GetValue(options.Output) ?? []);
        if (results is not null)
            throw new UsageException($"--resume adds its rounds to {file}: leave out -o {results}, or write -o page.html for a report");
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
