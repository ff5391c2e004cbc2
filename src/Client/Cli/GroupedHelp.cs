using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Cli;

/// <summary>
/// Prints the help of a command. A command that measures shows its most used options in groups, or all options with
/// <c>--help all</c>. Other commands show all options in one group.
/// </summary>
internal sealed class GroupedHelp(HelpOption option) : SynchronousCommandLineAction
{
    private const int Left = 26, LeftBelow = 6, UsualWidth = 100, Narrow = 60;

    private const string Examples = """
        Examples:
          GrpcBench --quick                           TCP and a Unix socket on this machine, in 90 seconds
          GrpcBench -U unix:/tmp/greeter.sock         a server that already runs, measured as wrk does
          GrpcBench -U http://localhost:5000 -U unix:/run/app.sock --call shop.Cart/Add  your own method: is it faster over the Unix socket?
          GrpcBench --transports tcp,tls --load 50%   what TLS costs, at full and at half load
          GrpcBench http http://localhost:8080/ unix:/tmp/web.sock   HTTP/1.1 as wrk does
        """;

    private const string MoreExamples = """
          GrpcBench -R 20k --arrivals poisson -s 1k   open loop: latency from the intended start
          GrpcBench                                   like --quick, with more sizes and rounds
          GrpcBench serve --listen unix:/tmp/greeter.sock   start the server alone, for another client to measure
          GrpcBench -U unix:/run/app.sock --list      services and methods of a server that offers reflection
          GrpcBench -U unix:/run/app.sock --describe shop.Cart   a service and its messages
          GrpcBench -U unix:/run/app.sock --call shop.Cart/Add --data @carts.jsonl -H 'authorization: …' --deadline 50ms
          GrpcBench -U http://localhost:5000 -U unix:/tmp/greeter.sock -s 10,1M -c 1,64,400
          GrpcBench --rounds auto --ignore-below 2%   measure until every comparison is decided within 2 %
          GrpcBench http a=http://localhost:81/ b=http://localhost:82/ -n 1000 -c 1   compare two servers, as ab would measure them
          GrpcBench --connect-per-call both           what a connection for every call costs
          GrpcBench sweep --vary socket-buffer=64k,256k,1M -s 1M   what a setting changes
          GrpcBench article --quick                   repeat a published comparison: how much of the difference is TLS, topology, transport
          GrpcBench echo --quick                      ping-pong of bytes without a protocol, with ratios to TCP
          GrpcBench layers --quick                    how much of a gRPC call is the transport
          eval "$(GrpcBench completion bash)"         the shell completes commands and options
        """;

    private const string ExitCodes = "Exit codes: 0 done, 1 usage, 2 machine or server (also: no call succeeded), 3 some calls failed, "
        + "4 a gate failed (--fail-on), 130 interrupted";

    /// <summary>The words that reports use, with their meanings.</summary>
    private static IReadOnlyList<(string Word, string Meaning)> Terms { get; } =
    [
        ("arm", "one of the things that a run compares: a transport, a client, a value of a setting"),
        ("cell", "one arm at one load: a size, a number of connections and of streams, a rate"),
        ("round", "all cells measured once, in random order; a ratio compares two arms within a round"),
        ("unattributed", "CPU time of the machine that belongs to neither client nor server"),
        ("doubt", "a reason to distrust a number, with advice"),
    ];

    /// <summary>The width of the help in columns: the terminal's width within 40 to 120, or 100 in a file or pipe.</summary>
    private static int Width => Console.IsOutputRedirected ? UsualWidth : Math.Clamp(Console.WindowWidth, 40, 120);

    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        var (command, output) = (parseResult.CommandResult.Command, parseResult.InvocationConfiguration.Output);
        var word = Measures(command) ? Word(parseResult) : null;
        foreach (var line in word is null or "all" ? Lines(command, all: word is not null) : About(command, word))
            output.WriteLine(line);
        return ExitCode.Ok;
    }

    /// <summary>
    /// Lists the options of the groups whose titles begin with the word. If there is no such group, lists the options whose names or
    /// descriptions contain the word. For <c>words</c>, lists the words that reports use.
    /// </summary>
    /// <exception cref="UsageException">No option matches.</exception>
    internal static List<string> About(Command command, string word)
    {
        if (word == "words")
            return [.. Meanings];
        bool Has(string? text) => text?.Contains(word, StringComparison.OrdinalIgnoreCase) == true;
        var groups = Groups(command, all: true).ToList();
        var found = groups.FindAll(group => group.Title.StartsWith(word, StringComparison.OrdinalIgnoreCase))
            .SelectMany(group => group.Options).ToList();
        if (found.Count == 0)
            found = [.. groups.SelectMany(group => group.Options).Where(
                one => Has(one.Name) || one.Aliases.Any(Has) || Has(one.Description))];
        return found.Count > 0 ? [.. found.SelectMany(one => Row(NamesOf(one), one.Description))]
            : throw new UsageException($"--help {word}: there is no command and no option with that word");
    }

    /// <summary>Makes the help of a command, with its usual options or with all options.</summary>
    internal static IEnumerable<string> Lines(Command command, bool all)
    {
        var isRoot = command is RootCommand;
        var name = isRoot ? ThisProgram.Typed : $"{ThisProgram.Typed} {command.Name}";
        List<string> lines = [.. Wrapped(command.Description ?? ""), "", $"Usage: {name}{Arguments(command)}"];
        if (command.Subcommands.Count > 0)
            lines.Add($"       {name} COMMAND --help");
        foreach (var argument in command.Arguments.Where(argument => !argument.Hidden))
            lines.AddRange(Row(argument.Name, argument.Description));
        foreach (var (title, options) in Groups(command, all).Where(group => group.Options.Count > 0))
            lines.AddRange(["", title + ":", .. options.SelectMany(one => Row(NamesOf(one), one.Description))]);
        if (isRoot)
            lines.AddRange(["", "Commands:", .. command.Subcommands.Where(one => !one.Hidden)
                .SelectMany(one => Row(one.Name, all ? one.Description : FirstSentence(one.Description)))]);
        if (all)
            lines.AddRange(["", "Words:", .. Meanings]);
        if (isRoot)
            lines.AddRange(["", .. ExamplesOf(all ? $"{Examples}\n{MoreExamples}" : Examples), "", .. Wrapped(ExitCodes)]);
        else if (ExamplesOf(command) is { Length: > 0 } examples)
            lines.AddRange(["", .. ExamplesOf(examples)]);
        if (!all && Measures(command))
        {
            var hidden = Groups(command, true).Sum(group => group.Options.Count) - Groups(command, false).Sum(group => group.Options.Count);
            lines.AddRange([
                "", FormattableString.Invariant($"{hidden} more options, the meaning of the words (--help words), or help on one topic:"),
                $"  {name} --help all", $"  {name} --help load"]);
        }
        return lines.Select(line => line.TrimEnd());
    }

    /// <summary>Returns the command's own examples. If it has none, returns the examples of the main help that call this command.</summary>
    private static string ExamplesOf(Command command)
    {
        if (command is MeasuringCommand { Examples: { } own })
            return own.TrimEnd();
        var lines = $"{Examples}\n{MoreExamples}".Split('\n')
            .Where(line => line.StartsWith($"  GrpcBench {command.Name} ", StringComparison.Ordinal)).ToList();
        return lines.Count == 0 ? "" : $"Examples:\n{string.Join('\n', lines)}";
    }

    private static IEnumerable<(string Title, List<Option> Options)> Groups(Command command, bool all)
    {
        var offered = command.Options.Where(one => !one.Hidden && one is not HelpOption and not VersionOption).ToList();
        if (!Measures(command))
            return [("Options", offered)];
        var placed = offered.ToLookup(HelpPlace.Find);
        return HelpPlace.All.Select(usual => (usual.Title, (List<Option>)[.. placed[usual], .. all ? placed[usual.Rarely] : []]));
    }

    private static IEnumerable<string> Meanings => Terms.SelectMany(word => Row(word.Word, word.Meaning));

    private static bool Measures(Command command) => command.Options.Any(one => one.Name == "-d");

    /// <summary>Returns the word after <c>--help</c>. Null when no word follows.</summary>
    private string? Word(ParseResult parseResult)
    {
        var typed = parseResult.Tokens.Select(token => token.Value).ToList();
        var asked = typed.FindIndex(token => token == option.Name || option.Aliases.Contains(token));
        return asked >= 0 && asked + 1 < typed.Count ? typed[asked + 1].TrimStart('-') : null;
    }

    private static string Arguments(Command command) =>
        string.Concat(command.Arguments.Where(one => !one.Hidden).Select(Usage)) + " [options]";

    private static string Usage(Argument one)
    {
        var name = one.Arity.MaximumNumberOfValues > 1 ? one.Name + "…" : one.Name;
        return one.Arity.MinimumNumberOfValues > 0 ? " " + name : $" [{name}]";
    }

    private static string NamesOf(Option one)
    {
        // The short name stands first, as in other tools.
        var names = string.Join(", ", one.Aliases.Prepend(one.Name).Distinct().OrderBy(name => name.Length));
        return one.HelpName is { Length: > 0 } value && one.ValueType != typeof(bool) ? $"{names} {value}" : names;
    }

    private static IEnumerable<string> Row(string name, string? text) => Row(name, text, Width);

    /// <summary>Returns the lines of an option. Its description is below the name if the terminal is too narrow for two columns.</summary>
    internal static IEnumerable<string> Row(string name, string? text, int width)
    {
        var hanging = new string(' ', width < Narrow ? LeftBelow : Left);
        var beside = width >= Narrow && name.Length + 2 <= Left - 2;
        if (!beside)
            yield return "  " + name;
        foreach (var line in TextWrapping.Lines(text ?? "", width, beside ? ("  " + name).PadRight(Left) : hanging, hanging))
            yield return line;
    }

    /// <summary>
    /// Returns the lines of the examples. If an example is wider than the terminal, its description goes below its command.
    /// </summary>
    private static IEnumerable<string> ExamplesOf(string text)
    {
        foreach (var line in text.Split('\n'))
        {
            var apart = line.Trim().Split("  ", 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            IEnumerable<string> parts = line.Length <= Width ? [line]
                : [.. TextWrapping.Lines(apart[0], Width, "  ", "    "),
                    .. apart.Skip(1).SelectMany(meaning => TextWrapping.Lines(meaning, Width, "      ", "      "))];
            foreach (var part in parts)
                yield return part;
        }
    }

    private static IEnumerable<string> Wrapped(string text) => TextWrapping.Lines(text, Width);

    /// <summary>Returns the text up to the first punctuation mark that ends a clause.</summary>
    private static string FirstSentence(string? text)
    {
        var ends = new[] { ": ", ". ", "? ", "; ", ", ", " (" }.Select(mark => (text ?? "").IndexOf(mark, StringComparison.Ordinal));
        return text is null ? "" : text[..ends.Where(end => end > 0).DefaultIfEmpty(text.Length).Min()].TrimEnd('.');
    }
}
