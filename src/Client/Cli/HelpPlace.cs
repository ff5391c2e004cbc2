using System.CommandLine;

namespace IpcBench.Client.Cli;

/// <summary>The place of an option in the help of a command that measures.</summary>
/// <param name="Title">The heading of the group of options.</param>
/// <param name="IsUsual">False for an option that only <c>--help all</c> shows.</param>
internal sealed record HelpPlace(string Title, bool IsUsual = true)
{
    public static HelpPlace What { get; } = new("What to measure");
    public static HelpPlace Time { get; } = new("How long");
    public static HelpPlace Load { get; } = new("Load");
    public static HelpPlace Server { get; } = new("The server that this tool starts");
    public static HelpPlace Both { get; } = new("Settings of both sides");
    public static HelpPlace Service { get; } = new("Your own service");
    public static HelpPlace Machine { get; } = new("Machine and method");
    public static HelpPlace Output { get; } = new("Output");

    /// <summary>The groups in the order of the help.</summary>
    public static IReadOnlyList<HelpPlace> All { get; } = [What, Time, Load, Server, Both, Service, Machine, Output];

    /// <summary>The same group, for an option that only <c>--help all</c> shows.</summary>
    public HelpPlace Rarely => this with { IsUsual = false };

    /// <summary>
    /// Returns the place of an option. An option without a place goes to <see cref="Output"/>, where only <c>--help all</c> shows it.
    /// </summary>
    public static HelpPlace Find(Option option) => (option as IPlacedOption)?.Place ?? Output.Rarely;
}

/// <summary>An option with a place in the help.</summary>
internal interface IPlacedOption
{
    HelpPlace Place { get; }
}
