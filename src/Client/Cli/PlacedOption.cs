using System.CommandLine;

namespace IpcBench.Client.Cli;

/// <inheritdoc cref="IPlacedOption"/>
internal sealed class PlacedOption<T>(HelpPlace place, string name, params string[] aliases) : Option<T>(name, aliases), IPlacedOption
{
    public HelpPlace Place => place;
}
