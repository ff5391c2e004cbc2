using System.CommandLine;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary><c>compare BASE NEW…</c>: what changed between runs, and whether it is too much.</summary>
internal static class CompareCommand
{
    public static Command Create()
    {
        var files = new Argument<string[]>("FILES")
        {
            Description = "results files: the base, then one or more to hold against it",
            Arity = new ArgumentArity(2, 100),
        };
        var failOn = new Option<string[]>("--fail-on")
        {
            HelpName = "LIMIT",
            Description = "exit 4 when the whole interval is beyond this: 'rps<-5%', 'p99>10%', 'client_cpu>5%'; repeatable",
        };
        var strict = new Option<bool>("--strict") { Description = "exit 4 too when a limit cannot be told for want of rounds" };
        var across = new Option<bool>("--across") { Description = "let --fail-on judge runs of different machines" };
        var format = new Option<string>("--format") { HelpName = "FORMAT", Description = "text (default) or markdown" };
        var command = new Command("compare", "Compares results files cell by cell, and fails on regressions if told which.")
        {
            files, failOn, strict, across, format,
        };
        command.SetAction(typed =>
        {
            var limits = (typed.GetValue(failOn) ?? []).Select(Limit).ToList();
            var report = typed.GetValue(format) switch
            {
                null or "text" => new CompareReport(markdown: false),
                "markdown" => new CompareReport(markdown: true),
                var other => throw new UsageException($"--format '{other}' is neither text nor markdown"),
            };
            var model = ResultsReading.Model(typed.GetValue(files)!);
            var comparisons = model.Files.Skip(1).Select(file => new FileComparison(model.Files[0], file)).ToList();
            if (limits.Count > 0 && !typed.GetValue(across) && comparisons.Find(comparison => !comparison.SameMachine) is { } alien)
                throw new UsageException(Refusal(alien));
            Console.Out.Write(report.Make(comparisons));
            return Judge(comparisons, limits, typed.GetValue(strict));
        });
        return command;
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
            + "add --across if that is meant";
    }

    private static int Judge(List<FileComparison> comparisons, List<GateLimit> limits, bool strict)
    {
        if (limits.Count == 0)
            return ExitCode.Ok;
        var gates = comparisons.ConvertAll(comparison => Gate.Of(comparison, limits));
        var (crossed, unknown) = (gates.SelectMany(gate => gate.Crossed).ToList(), gates.SelectMany(gate => gate.Unknown).ToList());
        foreach (var sentence in crossed)
            Console.Error.WriteLine($"gate: FAILED {sentence}");
        foreach (var sentence in unknown)
            Console.Error.WriteLine($"gate: cannot tell {sentence}");
        if (crossed.Count == 0 && unknown.Count == 0)
            Console.Error.WriteLine("gate: passed, no interval is wholly beyond a limit");
        return crossed.Count > 0 || strict && unknown.Count > 0 ? ExitCode.Gate : ExitCode.Ok;
    }
}
