using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary>The main job: measure and compare.</summary>
internal static class RunCommand
{
    /// <summary>Makes <paramref name="command"/> measure when it is invoked without a sub-command.</summary>
    public static void AddTo(Command command, IReadOnlyList<string> commandLine)
    {
        var options = new RunCommandOptions();
        AddTo(command, options, options.All, (_, read) => read, commandLine);
    }

    /// <summary>Makes <paramref name="command"/> measure with what of the options it offers.</summary>
    /// <param name="command">The command.</param>
    /// <param name="options">The options of every run.</param>
    /// <param name="offered">Those that the command takes.</param>
    /// <param name="shape">The command's own defaults in place of the main command's.</param>
    /// <param name="commandLine">The arguments, as typed.</param>
    public static void AddTo(
        Command command, RunCommandOptions options, IEnumerable<Option> offered, Func<ParseResult, RunOptions, RunOptions> shape, IReadOnlyList<string> commandLine)
    {
        foreach (var option in offered)
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            return await MeasureAsync(shape(typed, new RunOptionsReader(options, typed).Read()), commandLine);
        });
    }

    /// <summary>Measures and prints.</summary>
    /// <returns>An <see cref="ExitCode"/>.</returns>
    public static async Task<int> MeasureAsync(RunOptions asked, IReadOnlyList<string> commandLine)
    {
        using var view = RunView.For(asked);
        return await new RunSession(asked, commandLine, view).RunAsync();
    }
}
