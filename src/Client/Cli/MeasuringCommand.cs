using System.CommandLine;

namespace IpcBench.Client.Cli;

/// <summary>A command that measures, with its own examples for the help.</summary>
internal sealed class MeasuringCommand(string name, string description) : Command(name, description)
{
    public MeasuringCommand(Preset preset)
        : this(preset.Name, preset.Description) => Examples = preset.Examples;

    /// <summary>The command's own examples for the help. If null, the help shows the main help's examples that call this command.</summary>
    public string? Examples { get; }
}
