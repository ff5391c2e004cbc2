using System.CommandLine;
using System.CommandLine.Help;

namespace IpcBench.Client.Cli;

/// <summary>All commands of the tool and the examples under their help.</summary>
internal static class CommandTree
{
    public static RootCommand Create(IReadOnlyList<string> commandLine)
    {
        var root = new RootCommand(
            "Measures which local transport is fastest here: TCP, TLS, Unix domain socket or named pipe, and what each costs in CPU.");
        RunCommand.AddTo(root, Presets.Main, commandLine, new ServiceOptions());
        root.Add(ServeCommand.Create());
        root.Add(DoctorCommand.Create());
        root.Add(SweepCommand.Create(commandLine));
        root.Add(HttpCommand.Create(commandLine));
        foreach (var preset in Presets.Commands)
            root.Add(RunCommand.Create(preset, commandLine));
        root.Add(ReportCommand.Create());
        root.Add(CompareCommand.Create());
        root.Add(ResponderCommand.Create());
        foreach (var option in root.Options.OfType<HelpOption>())
            option.Action = new HelpWithExamples((HelpAction)option.Action!);
        return root;
    }
}
