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

/// <summary>The main job with a knob as one more interleaved arm: what does this setting change here?</summary>
internal static class SweepCommand
{
    public static Command Create(IReadOnlyList<string> commandLine)
    {
        var vary = new Option<string[]>("--vary")
        {
            HelpName = "KNOB=LIST",
            Required = true,
            Description = "values of a knob, each an arm beside the default, repeatable: socket-buffer=64k,256k,1M; "
                + $"knobs: {string.Join(", ", Knob.All.Select(knob => knob.Name))}",
        };
        var options = new RunCommandOptions(Presets.Main);
        var command = new Command("sweep",
            "Compare the values of a setting, interleaved with the default: every value gets a server process of its own.") { vary };
        var service = new ServiceOptions();
        foreach (var option in options.Offered.Concat(service.ToCall))
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            var reader = new RunOptionsReader(options, typed, sweeping: true, service: service);
            var plain = reader.Read();
            var varied = plain with { Variants = Variants(plain, typed.GetValue(vary)!) };
            return await RunCommand.MeasureAsync(reader.Fitted(varied), commandLine);
        });
        return command;
    }

    /// <summary>The run's own knobs first, then each value alone on top of them.</summary>
    internal static IReadOnlyList<Variant> Variants(RunOptions plain, IEnumerable<string> sweeps)
    {
        if (plain.Variants.Count > 1)
            throw new UsageException("--vary makes the arms: give every other setting one value");
        var basis = plain.Variants[0];
        var variants = sweeps.SelectMany(sweep => Arms(plain, basis.Knobs, sweep)).Prepend(basis).ToList();
        return variants.Select(variant => variant.Name).Distinct().Count() == variants.Count
            ? variants
            : throw new UsageException("--vary names the same value twice");
    }

    private static IEnumerable<Variant> Arms(RunOptions plain, Knobs basis, string sweep)
    {
        if (sweep.Split('=', 2) is not [var name, var values])
            throw new UsageException($"--vary '{sweep}' needs a knob and its values, as in socket-buffer=64k,256k,1M");
        var knob = Knob.Named(name);
        if (!plain.OwnServer && knob.OnServerAlone)
            throw new UsageException($"--vary {name} changes the server, and with -U the server is not ours: leave out -U");
        return Parsers.List(values, "--vary", (value, _) => value)
            .Select(value => new Variant($"{name}={value}", knob.Apply(basis, value)));
    }
}
