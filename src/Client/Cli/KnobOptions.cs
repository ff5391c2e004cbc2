using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Cli;

/// <summary>Makes the variants of a run from the options of its knobs.</summary>
internal static class KnobOptions
{
    /// <summary>Makes one unnamed variant, or one variant for each combination of values if knobs have lists of values.</summary>
    /// <param name="transports">The transports of the run. A knob that changes only another transport is refused.</param>
    /// <exception cref="UsageException">A value is unknown, or the transport of a knob is not measured.</exception>
    public static IReadOnlyList<Variant> Read(RunCommandOptions declared, ParseResult typed, IReadOnlyList<string> transports)
    {
        IReadOnlyList<Variant> variants = [new Variant("", new Knobs())];
        foreach (var (knob, option) in declared.Knobs.Where(one => one.Knob.Transport is null))
        {
            if (typed.GetValue(option) is not { } text)
                continue;
            var values = Parsers.List(text, option.Name, (value, _) => value);
            variants = [.. from variant in variants from value in values select With(variant, knob, value, values.Count > 1)];
        }
        variants = declared.Knobs.Where(one => one.Knob.Transport is not null)
            .Aggregate(variants, (all, one) => OfTransport(all, one.Knob, typed.GetValue(one.Option), transports));
        return declared.Preset.EchoSockets is { Count: > 0 } kinds ? WithEchoes(variants, kinds) : variants;
    }

    /// <summary>
    /// Adds variants for each value of the knob, with which only the knob's transport is measured. Other transports keep their variants.
    /// </summary>
    private static IReadOnlyList<Variant> OfTransport(
        IReadOnlyList<Variant> variants, Knob knob, string? typed, IReadOnlyList<string> transports)
    {
        if (!transports.Contains(knob.Transport!))
            return typed is null ? variants
                : throw new UsageException($"{knob.Option} changes {knob.Transport} alone: add {knob.Transport} to --transports");
        var values = Parsers.List(typed ?? knob.Usual, knob.Option, (value, _) => value);
        return
        [
            .. transports.Any(kind => kind != knob.Transport) ? variants : [],
            .. from variant in variants from value in values
               select With(variant, knob, value, isArm: true) with { Transport = knob.Transport },
        ];
    }

    /// <summary>
    /// Returns each variant with System.Net.Sockets, for all protocols. Then adds variants for raw echoes only: each variant
    /// with each of <paramref name="kinds"/> that this system supports.
    /// </summary>
    private static IReadOnlyList<Variant> WithEchoes(IReadOnlyList<Variant> variants, IReadOnlyList<string> kinds)
    {
        var sockets = Knob.Named("sockets");
        var others = kinds.Where(kind => kind != "loop" || EventLoop.IsSupported).ToList();
        return
        [
            .. variants.Select(variant => With(variant, sockets, "dotnet", isArm: false)),
            .. from variant in variants
               from kind in others
               where kind == others[^1] || variant.Transport != Address.Child.SharedMemory // shared memory has no sockets: one echo
               select With(variant, sockets, kind, isArm: true) with { EchoAlone = true },
        ];
    }

    private static Variant With(Variant variant, Knob knob, string value, bool isArm) => variant with
    {
        Name = isArm ? $"{variant.Name} {knob.Name}={value}".TrimStart() : variant.Name,
        Knobs = knob.Apply(variant.Knobs, value),
    };
}
