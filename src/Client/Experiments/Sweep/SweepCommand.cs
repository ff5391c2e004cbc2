using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Experiments.Sweep;

/// <summary><c>sweep</c>: runs the main command with the values of a knob as interleaved arms, to show the effect of the knob.</summary>
internal static class SweepCommand
{
    public static Command Create(IReadOnlyList<string> commandLine, Resume? resume)
    {
        var vary = CompletionCommand.Suggesting(
            new PlacedOption<string[]>(HelpPlace.What, "--vary")
            {
                HelpName = "KNOB=LIST",
                Required = true,
                Description = "values of a knob to compare with the default, repeatable: socket-buffer=64k,256k,1M; "
                    + $"knobs: {string.Join(", ", Knob.OfAll.Select(knob => knob.Name))}",
            },
            [.. Knob.OfAll.Select(knob => knob.Name + "=")]);
        var options = new RunCommandOptions(Preset.Main with { Shapes = [] });
        var command = new MeasuringCommand("sweep",
            "Compares the values of a setting with the default, in one run: every value has its own server process.");
        command.Options.Add(vary);
        var service = new ServiceOptions();
        foreach (var option in options.Offered.Concat(service.ToCall))
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            var plain = new RunOptionsReader(options, typed, sweeping: true, service: service).Read();
            var varied = plain with { Variants = Variants(plain, typed.GetValue(vary)!) };
            if (RunOptionsCheck.OfArms(varied) is { } refusal)
                throw new UsageException(refusal);
            return await RunCommand.MeasureAsync(varied, commandLine, resume);
        });
        return command;
    }

    /// <summary>Returns a variant with the run's own knobs, and then one variant for each value of <c>--vary</c>.</summary>
    internal static IReadOnlyList<Variant> Variants(RunOptions plain, IEnumerable<string> sweeps)
    {
        if (plain.Variants.Any(variant => variant.Transport is not null))
            throw new UsageException("--vary does not work over shm, where each way of waiting (--wait) is an arm already: leave shm out");
        if (plain.Variants.Count > 1)
            throw new UsageException("--vary sets the arms to compare: give every other setting one value");
        var basis = plain.Variants[0];
        var variants = sweeps.SelectMany(sweep => Arms(plain, basis.Knobs, sweep)).Prepend(basis).ToList();
        return variants.Select(variant => variant.Name).Distinct().Count() == variants.Count
            ? variants
            : throw new UsageException("--vary names the same value twice: leave out one of the two");
    }

    private static IEnumerable<Variant> Arms(RunOptions plain, Knobs basis, string sweep)
    {
        if (sweep.Split('=', 2) is not [var name, var values])
            throw new UsageException($"--vary '{sweep}' needs a knob and its values, as in socket-buffer=64k,256k,1M");
        var knob = Knob.Named(name);
        if (!plain.OwnServer && knob.Side == KnobSide.Server)
            throw new UsageException($"--vary {name} changes the server, but with -U this tool does not start the server: leave out -U");
        return Parsers.List(values, "--vary", (value, _) => value)
            .Select(value => new Variant($"{name}={value}", knob.Apply(basis, value)));
    }
}
