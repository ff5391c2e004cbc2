using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Cli;

/// <summary>Reads arguments as the commands do.</summary>
internal static class Typed
{
    public static RunOptions Read(Preset preset, params string[] arguments)
    {
        var declared = new RunCommandOptions(preset);
        var command = new RootCommand();
        foreach (var option in declared.Offered)
            command.Options.Add(option);
        var typed = command.Parse(arguments);
        Assert.Empty(typed.Errors);
        return new RunOptionsReader(declared, typed).Read();
    }

    /// <summary>Reads the arguments of the main command when it calls a user's own service.</summary>
    public static RunOptions ReadCall(params string[] arguments)
    {
        var (declared, service) = (new RunCommandOptions(Preset.Main), new ServiceOptions());
        var command = new RootCommand();
        foreach (var option in declared.Offered.Concat(service.Offered))
            command.Options.Add(option);
        var typed = command.Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        Assert.Empty(typed.Errors);
        return new RunOptionsReader(declared, typed, service: service).Read();
    }

    /// <summary>Opens the servers of the options: starts them, or connects to given servers.</summary>
    public static Task<ServerSet> ServersAsync(RunOptions options) =>
        ServerSet.OpenAsync(options, new Dictionary<string, string?>(), TestContext.Current.CancellationToken);

    /// <summary>Opens the servers of the main command with these arguments.</summary>
    public static Task<ServerSet> ServersAsync(params string[] arguments) => ServersAsync(Read(Preset.Main, arguments));

    /// <summary>Returns the message with which the arguments are rejected.</summary>
    public static string Refused(Preset preset, params string[] arguments) =>
        Assert.Throws<UsageException>(() => Read(preset, arguments)).Message;
}
