using IpcBench.Analysis.Records;
using IpcBench.Client.Cli;
using IpcBench.Client.Live;
using IpcBench.Client.Machine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>One run from its options to its last line: servers up, plan printed, rounds measured and saved, report shown, servers down.</summary>
internal sealed class RunSession(RunOptions options, IReadOnlyList<string> commandLine, RunConsole console)
{
    /// <returns>An <see cref="ExitCode"/>.</returns>
    /// <exception cref="UsageException">The options contradict what the machine or the servers are.</exception>
    /// <exception cref="EnvironmentException">The servers, the machine or the disk do not let it happen.</exception>
    public async Task<int> RunAsync()
    {
        if (options.ClientCpus is { } cpus && Relaunch.Under(cpus, commandLine) is { } code)
            return code;
        var hidden = CompletionThreads.Limit(options.Threads);
        using var interruption = new Interruption();
        try
        {
            await using var servers = await ServerSet.OpenAsync(options, hidden, interruption.Token);
            return await MeasureAsync(servers, interruption);
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            console.Progress.WriteLine("Interrupted before anything was measured.");
            return ExitCode.Interrupted;
        }
    }

    private async Task<int> MeasureAsync(ServerSet servers, Interruption interruption)
    {
        foreach (var complaint in servers.Complaints)
            console.Progress.WriteLine("server: " + complaint);
        var plan = new BenchPlan(options, servers.Targets);
        var journal = Journal(servers, plan);
        var progress = new RunProgress();
        using var view = console.Observe(options, plan, progress, interruption);
        await new BenchRunner(options, plan, new RoundRunner(options, servers.Links, progress), journal, view).RunAsync(interruption.Token);
        view.Dispose();
        FinalReport.Write(console, journal);
        return Code(journal);
    }

    private RunJournal Journal(ServerSet servers, BenchPlan plan)
    {
        var record = RunRecords.Begin(options, commandLine, servers, plan);
        var file = ResultsPath.Of(options.Output, record.Started);
        try
        {
            // A folder that cannot be written is found before the first round, not after the last.
            if (file is not null)
                ResultsFile.Save(file, record);
        }
        catch (ResultsFileException e)
        {
            throw new EnvironmentException($"{e.Message} — choose another file with -o, or --no-save", e);
        }
        return new RunJournal(record, file, console.Note);
    }

    private int Code(RunJournal journal)
    {
        var record = journal.Record;
        if (record.Ending.StartsWith("failed: ", StringComparison.Ordinal))
            console.Note(record.Ending["failed: ".Length..]);
        if (journal.Unsaved is { } unsaved)
            console.Note(unsaved);
        if (record.Ending.StartsWith("failed: ", StringComparison.Ordinal) || journal.Unsaved is not null)
            return ExitCode.Environment;
        if (record.Ending == "interrupted")
            return ExitCode.Interrupted;
        return record.Rounds.Any(round => round.Failed.Count > 0 || round.CutOff > 0) ? ExitCode.CallsFailed : ExitCode.Ok;
    }
}
