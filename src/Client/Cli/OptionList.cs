using System.CommandLine;

namespace IpcBench.Client.Cli;

/// <summary>
/// Makes the options of a command and lists them. The help shows the options in the order in which they are made.
/// </summary>
internal sealed class OptionList
{
    private readonly List<Option> all = [];

    public IReadOnlyList<Option> All => all;

    /// <summary>Gives the command these options.</summary>
    public Command AddTo(Command command)
    {
        all.ForEach(command.Options.Add);
        return command;
    }

    public Option<string> Text(HelpPlace place, string name, string value, string help, params string[] aliases) =>
        Add(new PlacedOption<string>(place, name, aliases) { HelpName = value, Description = help });

    /// <summary>Makes an option whose value may be left out.</summary>
    public Option<string> OptionalText(HelpPlace place, string name, string value, string help) =>
        Add(new PlacedOption<string>(place, name) { HelpName = value, Description = help, Arity = ArgumentArity.ZeroOrOne });

    /// <summary>Makes an option that may be given several times.</summary>
    public Option<string[]> Many(HelpPlace place, string name, string value, string help, params string[] aliases) =>
        Add(new PlacedOption<string[]>(place, name, aliases) { HelpName = value, Description = help });

    public Option<bool> Flag(HelpPlace place, string name, string help, params string[] aliases) =>
        Add(new PlacedOption<bool>(place, name, aliases) { Description = help });

    private Option<T> Add<T>(Option<T> option)
    {
        all.Add(option);
        return option;
    }
}
