using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary>Makes the commands that measure and compare: the main command, and commands that differ from it only in their preset.</summary>
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
    /// <param name="command">Receives the options and the action.</param>
    /// <param name="service">The options about the user's service. Null when the command has none.</param>
    /// <param name="again">Makes all commands once more, to parse the command line of the saved run for <c>--resume</c>.</param>
    public static void AddTo(
        Command command, Preset preset, IReadOnlyList<string> commandLine, Resume? resume, ServiceOptions? service = null,
        Func<IReadOnlyList<string>, Resume, RootCommand>? again = null)
    {
        var options = new RunCommandOptions(preset);
        foreach (var option in options.Offered.Concat(service?.Offered ?? []))
            command.Options.Add(option);
        // Only the main command passes a service, and only the main command has --resume: the command line in the results file names the
        // command of the saved run.
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
