using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Doctor;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// One run from its options to its last line: servers up, plan printed, rounds measured and saved, report shown, servers down.
/// </summary>
internal sealed class RunSession(RunOptions options, IReadOnlyList<string> commandLine, IRunObserver observer)
{
    /// <returns>An <see cref="ExitCode"/>.</returns>
    /// <exception cref="UsageException">The options contradict what the machine or the servers are.</exception>
    /// <exception cref="EnvironmentException">The servers, the machine or the disk do not let it happen.</exception>
    public async Task<int> RunAsync()
    {
        if (options.ClientCpus is { } cpus && Relaunch.Under(cpus, commandLine) is { } code)
            return code;
        var host = HostRecord.Read(); // before this tool sets variables of its own
        var hidden = CompletionThreads.Limit(options.Threads);
        using var interruption = new Interruption();
        try
        {
            var advice = await ExamineAsync(host);
            await using var servers = await ServerSet.OpenAsync(options, hidden, interruption.Token);
            return await MeasureAsync(servers, hidden, host, advice, interruption);
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            observer.Note(NothingYet());
            return ExitCode.Interrupted;
        }
    }

    /// <summary>Looks at the machine first; only what is not right is kept.</summary>
    private async Task<IReadOnlyList<Advice>> ExamineAsync(HostInfo host)
    {
        var connections = options.Topologies.Max(topology => topology.Connections);
        if (!OpenFileLimit.Raise().Allows(connections))
        {
            throw new EnvironmentException(
                $"-c {connections} needs more open files than this process may have ({OpenFileLimit.Read().Hard}): raise the hard limit "
                    + "(ulimit -Hn) or open fewer connections");
        }
        foreach (var pid in options.ServerPids ?? [])
        {
            if (ProcessClock.Read(pid) is null)
                throw new EnvironmentException($"--server-pids: there is no process {pid}, or its clock may not be read");
            if (ListenerOwner.IsAboveThis(pid))
            {
                throw new EnvironmentException(
                    $"--server-pids: this program runs under process {pid}, so that process's CPU time is this one's as well");
            }
        }
        if (options.Watches.Count > 0)
        {
            using var states = ConnectionStates.Open([.. options.Watches.Select(watch => LocalEndpoints.Of(watch.Address))])
                ?? throw new EnvironmentException("--watch: this system does not list its sockets (sock_diag): leave it out");
        }
        return await Doctor.Doctor.ProblemsAsync(
            new DoctorOptions
            {
                Connections = connections,
                Threads = options.Threads,
                SocketBuffer = options.Variants.Max(variant => variant.Knobs.SocketBuffer),
                ClientCpus = options.ClientCpus,
                ServerCpus = options.ServerCpus,
                ResultsFolder = null, // the file itself is written before the first round
                Tcp = options.OwnServer
                    ? options.Transports.Any(kind => kind is "tcp" or "tls")
                    : options.Addresses.Any(address => address is Address.Tcp or Address.Tls),
                Tls = options.OwnServer && options.Transports.Contains("tls"),
            },
            host);
    }

    private async Task<int> MeasureAsync(
        ServerSet servers, IReadOnlyDictionary<string, string?> hidden, HostInfo host, IReadOnlyList<Advice> advice,
        Interruption interruption)
    {
        var plan = new BenchPlan(options, servers.Targets);
        var journal = Journal(servers, plan, host);
        foreach (var one in advice)
            observer.Detail($"[{one.Id}] {one.Doubt} {one.Fix}");
        foreach (var complaint in servers.Complaints)
            observer.Note("server: " + complaint);
        journal.Add(advice.Where(one => !journal.Record.Advice.Any(known => known.Id == one.Id)));
        var progress = new RunProgress();
        observer.Started(plan, progress, interruption.Request);
        try
        {
            await CalibrateAsync(plan, journal, hidden, host, interruption.Token);
            await new BenchRunner(options, plan, new RoundRunner(options, servers, progress), journal, observer)
                .RunAsync(interruption.Token);
        }
        finally
        {
            // A new file has its name from the start, so that no other run takes it.
            if (!journal.HasMeasured && options.Output.File is null && journal.File is { } empty)
                ResultsPath.Remove(empty);
        }
        // What the load saw of it is at most that nobody answers; why is known here.
        var failed = journal.Record.Ending.StartsWith("failed: ", StringComparison.Ordinal);
        if ((failed || journal.Record.Ending == "complete") && await servers.DeathAsync(failed) is { } death)
            journal.Replace(record => record with { Ending = "failed: " + death });
        if (journal.HasMeasured)
            observer.Finished(journal.Record, journal.Unsaved is null ? journal.File : null);
        return Code(journal);
    }

    private async Task CalibrateAsync(
        BenchPlan plan, RunJournal journal, IReadOnlyDictionary<string, string?> hidden, HostInfo host, CancellationToken cancellation)
    {
        if (!options.Calibrate)
            return;
        var found = await Calibrator.RunAsync(
            // With one call out at a time the rate is that of two processes that wake each other, and no bound of what a client can do.
            plan.Cells.Select(cell => cell.Load).Where(load => load.Connections * load.Streams > 1),
            new CalibrationOptions { Host = host, ServerCpus = options.ServerCpus, HiddenVariables = hidden, Note = observer.Detail },
            cancellation);
        journal.Replace(record => record with { Calibrations = found });
    }

    private RunJournal Journal(ServerSet servers, BenchPlan plan, HostInfo host)
    {
        foreach (var report in options.Output.Reports)
            report.TryWrite();
        var begun = RunRecords.Begin(options, commandLine, servers, plan, host);
        var record = options.Resume?.Continue(begun) ?? begun;
        try
        {
            var file = ResultsPath.Of(options.Output, record);
            var journal = new RunJournal(record, file, observer.Note);
            // A folder that cannot be written is found before the first round, not after the last.
            if (options.Output is { Save: true, File: { } named })
                ResultsFile.TrySave(named, record);
            return journal;
        }
        catch (ResultsFileException e)
        {
            throw new EnvironmentException($"{e.Message} — choose another file with -o, or --no-save", e);
        }
    }

    private string NothingYet() => "Interrupted before anything was measured" + options.Output switch
    {
        { Save: true, File: { } file } when File.Exists(file) && !WholeFile.IsStream(file) => $"; {file} is as it was.",
        { Save: true, File: null } => ", so no file is kept.",
        _ => ".",
    };

    private int Code(RunJournal journal)
    {
        var record = journal.Record;
        if (record.Ending.StartsWith("failed: ", StringComparison.Ordinal))
            observer.Note(record.Ending["failed: ".Length..]);
        if (journal.Unsaved is { } unsaved)
        {
            observer.Note(unsaved);
            RunRescue.Offer(record, options.Output, observer);
        }
        if (record.Ending.StartsWith("failed: ", StringComparison.Ordinal) || journal.Unsaved is not null)
            return ExitCode.Environment;
        if (record.Ending == "interrupted")
        {
            if (!journal.HasMeasured)
                observer.Note(NothingYet());
            return ExitCode.Interrupted;
        }
        if (NothingSucceeded(record) is { } nothing)
        {
            observer.Note(nothing);
            return ExitCode.Environment;
        }
        // Of a search they are part of what it finds.
        return record.Rounds.Any(round => (round.Failed.Count > 0 || round.CutOff > 0) && !record.Cells[round.Cell].Key.IsSearch)
            ? ExitCode.CallsFailed : ExitCode.Ok;
    }

    /// <summary>
    /// One sentence about the first cell that measured nothing; null when there is none. Calls longer than the window, of which none began
    /// inside it, have a rate.
    /// </summary>
    private static string? NothingSucceeded(RunRecord record)
    {
        var nothing = record.Rounds.GroupBy(round => round.Cell).FirstOrDefault(
            rounds => rounds.All(round => round is { Ok: 0, Credited: null or 0 }));
        if (nothing is null)
            return null;
        var (address, started) = (record.Cells[nothing.Key].Address, nothing.Sum(round => round.Started));
        return started == 0
            ? $"not one call to {address} was made: there is nothing to report there"
            : string.Create(
                CultureInfo.InvariantCulture, $"not one of {started} calls to {address} succeeded: there is nothing to report there");
    }
}
