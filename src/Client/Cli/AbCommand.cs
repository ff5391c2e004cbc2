using System.CommandLine;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary>
/// <c>ab --base CMD --head CMD</c>: two builds of a server as arms of one run. The result is judged as two files are,
/// but from pairs of the same round.
/// </summary>
internal sealed class AbCommand
{
    // GitHub Actions reads the summary of a step as Markdown from this file (docs.github.com, Workflow commands).
    private const string SummaryVariable = "GITHUB_STEP_SUMMARY";

    private readonly Option<string> before = Side("--base", "the command that starts the server before the change");
    private readonly Option<string> after = Side("--head", "the command that starts the server with the change");
    private readonly Option<string[]> failOn = CompareCommand.FailOn();
    private readonly Option<bool> strict = CompareCommand.Strict();
    private readonly RunCommandOptions options = new(Presets.Ab);
    private readonly ServiceOptions service = new();

    /// <summary>All options of the command.</summary>
    internal IEnumerable<Option> All => [before, after, failOn, strict, .. options.Offered, .. service.ToCall];

    public static Command Create(IReadOnlyList<string> commandLine, Resume? resume)
    {
        var ab = new AbCommand();
        var command = new Command(Presets.Ab.Name, Presets.Ab.Description);
        foreach (var option in ab.All)
            command.Options.Add(option);
        command.SetAction(async (typed, _) => await ab.RunAsync(typed, commandLine, resume));
        return command;
    }

    /// <summary>Reads the command line into the options of the run.</summary>
    /// <exception cref="UsageException">An option is invalid.</exception>
    internal RunOptions Read(ParseResult typed)
    {
        var reader = new RunOptionsReader(options, typed, sweeping: true, service: service);
        var plain = reader.Read();
        if (plain.Variants.Count > 1)
            throw new UsageException("--base and --head make the arms: give every other setting one value");
        var basis = plain.Variants[0];
        return reader.Fitted(plain with
        {
            FreshServers = true,
            Limits = [.. (typed.GetValue(failOn) ?? []).Select(CompareCommand.Limit)],
            Variants =
            [
                basis with { Command = Words(typed, before, plain) },
                basis with { Name = FileComparison.HeadVariant, Command = Words(typed, after, plain) },
            ],
        });
    }

    private static IReadOnlyList<string> Words(ParseResult typed, Option<string> side, RunOptions plain)
    {
        var words = Parsers.Words(typed.GetValue(side)!, side.Name);
        foreach (var kind in plain.Transports)
        {
            if (GivenCommand.Missing(words, kind) is { } places)
                throw new UsageException($"{side.Name} does not say where to listen for {kind}: write {places} in it");
        }
        return words;
    }

    private async Task<int> RunAsync(ParseResult typed, IReadOnlyList<string> commandLine, Resume? resume)
    {
        var read = Read(typed);
        var asked = resume?.Apply(read) ?? read;
        IReadOnlyList<Gate> gates = [];
        var isStrict = typed.GetValue(strict);
        var lines = new List<string>();
        using var view = RunView.For(asked);
        view.Measured = record =>
        {
            gates = BuildComparison.Of(new MeasuredRun(record))?.Gate is { } gate ? [gate] : [];
            lines.AddRange(CompareCommand.Lines(gates, isStrict));
            Summarize(record, lines);
        };
        var code = await new RunSession(asked, resume?.CommandLine ?? commandLine, view).RunAsync();
        foreach (var line in lines)
            Console.Error.WriteLine(line);
        return code is ExitCode.Ok or ExitCode.CallsFailed && gates.Any(gate => gate.Fails(isStrict)) ? ExitCode.Gate : code;
    }

    /// <summary>Appends to the summary of the job.</summary>
    private static void Summarize(RunRecord record, IReadOnlyList<string> lines)
    {
        if (Environment.GetEnvironmentVariable(SummaryVariable) is not { Length: > 0 } file)
            return;
        try
        {
            File.AppendAllText(
                file, new MarkdownReport().Make(new ReportModel(record)) + "\n" + string.Concat(lines.Select(line => $"- {line}\n")));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"the summary cannot be written to {SummaryVariable}: {e.Message}");
        }
    }

    private static Option<string> Side(string name, string description) =>
        new(name) { HelpName = "CMD", Required = true, Description = description };
}
