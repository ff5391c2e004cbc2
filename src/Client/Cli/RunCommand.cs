using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary>The main job, and the commands that are it with another preset: measure and compare.</summary>
internal static class RunCommand
{
    /// <summary>A command of its own.</summary>
    public static Command Create(Preset preset, IReadOnlyList<string> commandLine)
    {
        var command = new Command(preset.Name, preset.Description);
        AddTo(command, preset, commandLine);
        return command;
    }

    /// <summary>Makes <paramref name="command"/> measure when it is invoked without a sub-command.</summary>
    /// <param name="command">Gets the options and the action.</param>
    /// <param name="preset">Its defaults.</param>
    /// <param name="commandLine">As typed.</param>
    /// <param name="service">What it takes to look at services; null: it does not.</param>
    public static void AddTo(Command command, Preset preset, IReadOnlyList<string> commandLine, ServiceOptions? service = null)
    {
        var options = new RunCommandOptions(preset);
        foreach (var option in options.Offered.Concat(service?.Offered ?? []))
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            var asked = new RunOptionsReader(options, typed, service: service).Read();
            return service?.IsAsked(typed) == true ? await service.ShowAsync(typed, asked) : await MeasureAsync(asked, commandLine);
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
