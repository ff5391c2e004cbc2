using System.CommandLine;
using System.CommandLine.Help;
using IpcBench.Client.Cli;
using IpcBench.Client.Run;
using IpcBench.Host;

namespace IpcBench.Client.Commands;

/// <summary>Makes all commands of the tool.</summary>
internal static class CommandTree
{
    public static RootCommand Create(IReadOnlyList<string> commandLine, Resume? resume = null)
    {
        var root = new RootCommand(
            "Measures which local transport is fastest here: TCP, TLS, Unix domain socket or named pipe, and what each costs in CPU.");
        RunCommand.AddTo(root, Preset.Main, commandLine, resume, new ServiceOptions(), Create);
        root.Add(ServeCommand.Create());
        root.Add(DoctorCommand.Create());
        foreach (var experiment in Experiment.All)
            root.Add(experiment(commandLine, resume));
        root.Add(ReportCommand.Create());
        root.Add(CompareCommand.Create());
        root.Add(CompletionCommand.Create());
        foreach (var option in root.Options.OfType<HelpOption>())
            option.Action = new GroupedHelp(option);
        return root;
    }

    /// <summary>
    /// Translates arguments that users of other tools type: <c>help</c> becomes <c>--help</c>, <c>help load</c> becomes
    /// <c>--help load</c>, and an address without an option becomes a server of <c>-U</c>.
    /// </summary>
    public static string[] Meant(string[] args)
    {
        if (args is ["help", .. var about])
            return about is [var name, ..] && Create(args).Subcommands.Any(one => !one.Hidden && one.Name == name)
                ? [name, "--help", .. about[1..]] : ["--help", .. about];
        var typed = Create(args).Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        return typed.CommandResult.Command is RootCommand && typed.UnmatchedTokens.Count > 0 && typed.UnmatchedTokens.All(IsAddress)
            ? [.. args.SelectMany(word => typed.UnmatchedTokens.Contains(word) ? new[] { "-U", word } : [word])] : args;
    }

    private static bool IsAddress(string word) =>
        word.Contains("://", StringComparison.Ordinal) || (word is [not '-', ..] && Transports.Address.TryParse(word, out _, out _));

    /// <summary>Returns the error message for a command line that the parser rejects.</summary>
    public static string Complaint(ParseResult typed)
    {
        var option = typed.UnmatchedTokens.FirstOrDefault(token => token is ['-', not '-', ..] or ['-', '-', _, ..]);
        var command = typed.CommandResult.Command;
        if (option is null)
        {
            var near = command is RootCommand && typed.UnmatchedTokens is [var word, ..]
                ? Meant(word, command.Subcommands.Where(one => !one.Hidden).Select(one => one.Name)) : null;
            return near is null ? string.Join(" ", typed.Errors.Select(error => error.Message))
                : $"there is no command {typed.UnmatchedTokens[0]}: did you mean {near}?";
        }
        option = option is ['-', '-', ..] ? option.Split('=')[0] : option[..2]; // drops the value, perhaps a secret
        var known = command.Options.Where(one => !one.Hidden).SelectMany(one => one.Aliases.Prepend(one.Name));
        var like = Meant(option, known) is { } other ? $": did you mean {other}?" : "";
        return command is RootCommand ? $"there is no option {option}{like}"
            : typed.RootCommandResult.Command.Options.Any(one => one.Name == option || one.Aliases.Contains(option))
                ? $"{option} is not offered by {command.Name}"
                : $"{command.Name} has no option {option}{like}";
    }

    /// <summary>Returns the nearest known word. Null if more than 2 letters differ, or more than a third of the letters.</summary>
    private static string? Meant(string word, IEnumerable<string> known)
    {
        var letters = word.TrimStart('-').Length;
        return letters < 2 ? null : known.Select(one => (Name: one, Distance: Schema.Types.Nearest.Distance(word, one)))
            .Where(one => one.Distance <= Math.Min(2, letters / 3)).OrderBy(one => one.Distance).Select(one => one.Name).FirstOrDefault();
    }
}

/// <summary>
/// <c>GrpcBench serve</c>: runs only the server. The server gets all following arguments and all signals, and its exit code is the exit
/// code of the command.
/// </summary>
internal static class ServeCommand
{
    public const string Name = "serve";

    /// <summary>
    /// Makes the entry for the help's list of commands. A command line that begins with <c>serve</c> goes to the server without being
    /// parsed.
    /// </summary>
    public static Command Create() => new(Name, "Start the server alone, until Ctrl-C; options: GrpcBench serve --help");

    /// <summary>
    /// Replaces this process by the server and does not return. On Windows, runs the server as a child and returns the server's exit code.
    /// </summary>
    /// <exception cref="EnvironmentException">The server's program is missing or cannot run.</exception>
    public static int Run(IEnumerable<string> arguments)
    {
        var start = ChildServerCommand.Locate();
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return OperatingSystem.IsWindows() ? Relaunch.RunChild(start, cpus: null) : Relaunch.Replace(start);
    }
}
