using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Experiments.Ab;
using IpcBench.Client.Experiments.Article;
using IpcBench.Client.Experiments.Echo;
using IpcBench.Client.Experiments.Http;
using IpcBench.Client.Experiments.Layers;
using IpcBench.Client.Experiments.Mcp;
using IpcBench.Client.Experiments.Sweep;

namespace IpcBench.Client.Commands;

/// <summary>
/// The commands with a measurement of their own, in the order of the help. To add a command, add a folder in Experiments and an entry here.
/// </summary>
internal static class Experiment
{
    /// <summary>Each function makes a command from the command line as typed and the run of <c>--resume</c> (null for a new run).</summary>
    public static IReadOnlyList<Func<IReadOnlyList<string>, Resume?, Command>> All { get; } =
    [
        SweepCommand.Create, HttpCommand.Create, With(ArticleExperiment.Preset), With(EchoExperiment.Preset),
        With(LayersExperiment.Preset), McpCommand.Create, AbCommand.Create,
    ];

    private static Func<IReadOnlyList<string>, Resume?, Command> With(Preset preset) =>
        (commandLine, resume) => RunCommand.Create(preset, commandLine, resume);
}
