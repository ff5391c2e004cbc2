using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Cli;

/// <summary>Makes the variants of a run from the options of its knobs.</summary>
internal static class KnobOptions
{
    /// <summary>Makes a variant for each combination of values. Variant names have only the varied knobs.</summary>
    public static IReadOnlyList<Variant> Read(RunCommandOptions declared, ParseResult typed)
    {
        IReadOnlyList<Variant> variants = [new Variant("", new Knobs())];
        foreach (var (knob, option) in declared.Knobs)
        {
            if (typed.GetValue(option) is not { } text)
                continue;
            var values = Parsers.List(text, option.Name, (value, _) => value);
            variants = [.. from variant in variants from value in values select With(variant, knob, value, values.Count > 1)];
        }
        return declared.Preset.EchoSockets.Count == 0 ? variants : WithEchoes(variants, declared.Preset.EchoSockets);
    }

    /// <summary>
    /// Makes each variant with System.Net.Sockets, for all protocols. Then adds the variants for raw echoes alone: each
    /// variant with each of the other kinds of sockets that this system has.
    /// </summary>
    private static IReadOnlyList<Variant> WithEchoes(IReadOnlyList<Variant> variants, IReadOnlyList<string> kinds)
    {
        var sockets = Knob.Named("sockets");
        var others = kinds.Where(kind => kind != "loop" || EventLoop.IsSupported).ToList();
        return
        [
            .. variants.Select(variant => With(variant, sockets, "dotnet", isArm: false)),
            .. from variant in variants from kind in others select With(variant, sockets, kind, isArm: true) with { EchoAlone = true },
        ];
    }

    private static Variant With(Variant variant, Knob knob, string value, bool isArm) =>
        new(isArm ? $"{variant.Name} {knob.Name}={value}".TrimStart() : variant.Name, knob.Apply(variant.Knobs, value));
}
