using System.CommandLine;
using IpcBench.Client.Live;
using IpcBench.Client.Run;

namespace IpcBench.Client.Cli;

/// <summary>The main job: measure and compare.</summary>
internal static class RunCommand
{
    /// <summary>Makes <paramref name="command"/> measure when it is invoked without a sub-command.</summary>
    public static void AddTo(Command command, IReadOnlyList<string> commandLine)
    {
        var options = new RunCommandOptions();
        foreach (var option in options.All)
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            var asked = new RunOptionsReader(options, typed).Read();
            return await new RunSession(asked, commandLine, new RunConsole(asked.Output)).RunAsync();
        });
    }
}
