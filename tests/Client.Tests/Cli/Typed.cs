using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Cli;

/// <summary>What a command makes of its arguments.</summary>
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

    /// <summary>What the main command makes of them when it is to call somebody's own service.</summary>
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

    /// <summary>The servers that the options ask for, started or found.</summary>
    public static Task<ServerSet> ServersAsync(RunOptions options) =>
        ServerSet.OpenAsync(options, new Dictionary<string, string?>(), TestContext.Current.CancellationToken);

    /// <summary>Those of the main command with these arguments.</summary>
    public static Task<ServerSet> ServersAsync(params string[] arguments) => ServersAsync(Read(Preset.Main, arguments));

    /// <summary>The sentence with which they are refused.</summary>
    public static string Refused(Preset preset, params string[] arguments) =>
        Assert.Throws<UsageException>(() => Read(preset, arguments)).Message;
}
