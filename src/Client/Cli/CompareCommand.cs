using System.CommandLine;
using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Plan;
using IpcBench.Client.Terminal;

namespace IpcBench.Client.Cli;

/// <summary><c>compare BASE NEW…</c>: shows the changes between runs, and whether a change crosses a limit.</summary>
internal static class CompareCommand
{
    public static Command Create()
    {
        var files = new Argument<string[]>("FILES")
        {
            Description = "results files: the base, then one or more files to compare with the base",
            Arity = new ArgumentArity(1, 100),
        };
        var failOn = FailOn();
        var strict = Strict();
        var across = new Option<bool>("--across") { Description = "let --fail-on judge runs of different machines" };
        var format = Format();
        var verbose = new Option<bool>("-v", "--verbose") { Description = "also show rows without a decided difference" };
        var command = new Command("compare", "Compares results files cell by cell; with --fail-on it exits with 4 when a limit is crossed.")
        {
            files, failOn, strict, across, format, verbose,
        };
        command.SetAction(typed =>
        {
            var limits = Limits(typed, failOn, strict, across);
            Func<IReadOnlyList<FileComparison>, IReadOnlyList<Gate>, string> make = typed.GetValue(format) switch
            {
                null or "text" => (all, _) =>
                    new CompareReport(markdown: false, typed.GetValue(verbose), Screen.OfOutput().Layout(true).Width)
                    .Make(all),
                "markdown" => (all, _) => new CompareReport(markdown: true, typed.GetValue(verbose)).Make(all),
                "json" => CompareJson.Make,
                var other => throw new UsageException($"--format '{other}' is unknown: write one of text, markdown, json"),
            };
            var named = typed.GetValue(files)!;
            if (named.Length < 2)
                throw new UsageException($"compare needs a base and at least one more file: {named[0]} is the only file");
            var model = ResultsReading.Model(named);
            var comparisons = model.Files.Skip(1).Select(file => new FileComparison(model.Files[0], file).For(limits)).ToList();
            if (limits.Count > 0 && !typed.GetValue(across) && comparisons.Find(comparison => !comparison.SameMachine) is { } alien)
                throw new UsageException(Refusal(alien));
            IReadOnlyList<Gate> gates = limits.Count == 0 ? [] : comparisons.ConvertAll(comparison => Gate.Check(comparison, limits));
            Console.Out.Write(make(comparisons, gates));
            foreach (var line in Lines(gates, typed.GetValue(strict)))
                Console.Error.WriteLine(line);
            return gates.Any(gate => gate.Fails(typed.GetValue(strict))) ? ExitCode.Gate : ExitCode.Ok;
        });
        return command;
    }

    internal static Option<string> Format() => CompletionCommand.Suggesting(
        new Option<string>("--format") { HelpName = "FORMAT", Description = "text (default), markdown or json" },
        "text", "markdown", "json");

    /// <summary>Makes the option <c>--fail-on</c>, which sets the limits that a change must not cross.</summary>
    internal static Option<string[]> FailOn() => new PlacedOption<string[]>(HelpPlace.Output, "--fail-on")
    {
        HelpName = "LIMIT",
        Description = "exit 4 when the whole interval is beyond the limit, a cell is missing or a run is incomplete: "
            + "'rps<-5%', 'p99>10%', 'client_cpu>5%'; repeatable",
    };

    internal static Option<bool> Strict() =>
        new PlacedOption<bool>(HelpPlace.Output.Rarely, "--strict")
        {
            Description = "exit 4 also when a part of the interval is beyond a limit, or there is no interval",
        };

    /// <summary>Reads the limits of <c>--fail-on</c>.</summary>
    /// <param name="dependent">Options that have an effect only if there is a limit.</param>
    /// <exception cref="UsageException">A text is not a limit such as <c>p99&gt;10%</c>, or an option has no effect.</exception>
    internal static IReadOnlyList<GateLimit> Limits(ParseResult typed, Option<string[]> failOn, params Option<bool>[] dependent)
    {
        var limits = (typed.GetValue(failOn) ?? []).Select(Limit).ToList();
        return limits.Count == 0 && Array.Find(dependent, typed.GetValue) is { } idle
            ? throw new UsageException($"{idle.Name} is for --fail-on: add --fail-on, or leave out {idle.Name}") : limits;
    }

    private static GateLimit Limit(string text)
    {
        try
        {
            return GateLimit.Parse(text);
        }
        catch (FormatException e)
        {
            throw new UsageException("--fail-on: " + e.Message);
        }
    }

    private static string Refusal(FileComparison alien)
    {
        var first = alien.Machines[0];
        return $"--fail-on does not judge runs of different machines ({first.What}: '{first.Before}' and '{first.After}'): "
            + "add --across to compare machines";
    }

    /// <summary>
    /// Returns a line for each result that did not pass, and then a line with the number of results of each kind. Returns no line when
    /// no limit was given.
    /// </summary>
    internal static IEnumerable<string> Lines(IReadOnlyList<Gate> gates, bool strict)
    {
        foreach (var sentence in gates.SelectMany(gate => gate.Missing))
            yield return $"gate: FAILED, not measured: {sentence}";
        foreach (var sentence in gates.SelectMany(gate => gate.Crossed))
            yield return $"gate: FAILED, crossed: {sentence}";
        foreach (var sentence in gates.SelectMany(gate => gate.NotExcluded))
            yield return $"gate: {(strict ? "FAILED, " : "")}undecided: {sentence}";
        if (gates.Count == 0)
            yield break;
        var (passed, open) = (gates.Sum(gate => gate.Passed), gates.Sum(gate => gate.NotExcluded.Count));
        yield return string.Create(CultureInfo.InvariantCulture,
            $"gate: {passed} passed, {gates.Sum(gate => gate.Crossed.Count)} crossed, {open} undecided")
            + (gates.Sum(gate => gate.Missing.Count) is > 0 and var missing
                ? string.Create(CultureInfo.InvariantCulture, $", {missing} not measured") : "");
    }
}
