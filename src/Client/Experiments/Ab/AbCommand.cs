using System.CommandLine;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Experiments.Ab;

/// <summary>
/// <c>ab --base CMD --head CMD</c>: compares two builds of a server as arms of one run. The verdict follows the rules of
/// <c>compare</c>, applied to pairs of measurements in the same round.
/// </summary>
internal sealed class AbCommand
{
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        OffersChildren = false,
        Name = "ab",
        Description = "Compares two builds of a server in one run: is the new build slower? Two commands start the builds, and every round "
            + "has new processes of both. About 6 minutes.",
        Examples = """
            In each command one of these words stands for the place where the server listens:
              {url}      as ASP.NET Core reads it: http://127.0.0.1:4711, http://unix:/tmp/x.sock
              {address}  as this tool writes it: http://127.0.0.1:4711, unix:/tmp/x.sock
              {port}     a free port
              {path}     a path for a Unix socket
            A command is split into words as in a shell, but no shell runs. A server is ready
            when a connection succeeds (30 s at most). The server needs the method
            Bench.Download, or the method of --call. In GitHub Actions the table is added to
            the summary of the job.

            ASP.NET Core reads appsettings.json in the working folder or, with "--contentRoot .",
            in the folder of the program. In a new gRPC project this file turns on HTTP/2. Such
            a project has no reflection, so --proto gives the types of the methods.

            Examples:
              GrpcBench ab --base './old/Shop --contentRoot . --urls {url}' \
                --head './new/Shop --contentRoot . --urls {url}' --proto Protos/cart.proto \
                --call shop.Cart/Add --data '{"item":"tea"}' --fail-on 'server_cpu>3%'
              GrpcBench ab --base 'python3 base/app.py --port {port} --socket {path}' \
                --head 'python3 head/app.py --port {port} --socket {path}'

            """,
        Transports = new("tcp,unix"),
        Sizes = new("10"),
        Connections = new("50"),
        Duration = new("1s"),
        Rounds = new("16"),
        Warmup = new("150ms"), // at its start each server gets 20 times this load (3 s), so that sixteen rounds take six minutes
        NotOffered =
        [
            "-U", "--protocol", "--quick", "--aa", "--crank", "--profile", "--reference", "--server-pids", "--load", "--find",
            .. Preset.ServerKnobs,
        ],
        Words = new Dictionary<string, string>
        {
            ["--transports"] = "transports to measure, each with one process of each build: tcp, tls, unix, pipe",
        },
    };

    // The environment variable with the file from which GitHub Actions reads a step's summary (docs.github.com, Workflow commands).
    private const string SummaryVariable = "GITHUB_STEP_SUMMARY";

    private readonly Option<string> before = Side("--base", "the command that starts the server before the change");
    private readonly Option<string> after = Side("--head", "the command that starts the server with the change");
    private readonly Option<string[]> failOn = CompareCommand.FailOn();
    private readonly Option<bool> strict = CompareCommand.Strict();
    private readonly RunCommandOptions options = new(Preset);
    private readonly ServiceOptions service = new();

    internal IEnumerable<Option> All => [before, after, failOn, strict, .. options.Offered, .. service.ToCall];

    public static Command Create(IReadOnlyList<string> commandLine, Resume? resume)
    {
        var ab = new AbCommand();
        var command = new MeasuringCommand(Preset);
        foreach (var option in ab.All)
            command.Options.Add(option);
        command.SetAction(async (typed, _) => await ab.RunAsync(typed, commandLine, resume));
        return command;
    }

    /// <summary>Reads the command line into the options of the run.</summary>
    /// <exception cref="UsageException">An option is invalid.</exception>
    internal RunOptions Read(ParseResult typed)
    {
        var plain = new RunOptionsReader(options, typed, sweeping: true, service: service).Read();
        if (plain.Variants.Count > 1)
            throw new UsageException("--base and --head are the arms to compare: give every other setting one value");
        var basis = plain.Variants[0];
        return plain with
        {
            FreshServers = true,
            Limits = CompareCommand.Limits(typed, failOn, strict),
            Variants =
            [
                basis with { Command = Words(typed, before, plain) },
                basis with { Name = CellKey.HeadVariant, Command = Words(typed, after, plain) },
            ],
        };
    }

    private static IReadOnlyList<string> Words(ParseResult typed, Option<string> side, RunOptions plain)
    {
        var words = Parsers.Words(typed.GetValue(side)!, side.Name);
        foreach (var kind in plain.Transports)
        {
            if (GivenCommand.Missing(words, kind) is { } places)
                throw new UsageException($"{side.Name} does not say where the server listens for {kind}: write {places} in the command");
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
            gates = BuildComparison.From(new MeasuredRun(record))?.Gate is { } gate ? [gate] : [];
            lines.AddRange(CompareCommand.Lines(gates, isStrict));
            Summarize(record, lines);
        };
        var code = await new RunSession(asked, resume?.CommandLine ?? commandLine, view).RunAsync();
        foreach (var line in lines)
            Console.Error.WriteLine(line);
        return code is ExitCode.Ok or ExitCode.CallsFailed && gates.Any(gate => gate.Fails(isStrict)) ? ExitCode.Gate : code;
    }

    /// <summary>In GitHub Actions, appends the report and the lines of the gate to the summary of the job.</summary>
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
        new PlacedOption<string>(HelpPlace.What, name) { HelpName = "CMD", Required = true, Description = description };
}
