using System.Globalization;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Results;
using IpcBench.Client.Doctor;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Does one run from its options to its last line: starts servers, prints the plan, measures and saves rounds, shows
/// the report, and ends the servers.
/// </summary>
internal sealed class RunSession(RunOptions options, IReadOnlyList<string> commandLine, IRunObserver observer)
{
    /// <exception cref="UsageException">The options contradict the machine or the servers.</exception>
    /// <exception cref="EnvironmentException">The servers, the machine or the disk make the run impossible.</exception>
    public async Task<int> RunAsync()
    {
        // A typed --client-cpus has an effect before the options are read (Program). This line is for --resume.
        if (options.ClientCpus is { } cpus && Relaunch.Under(cpus, commandLine) is { } code)
            return code;
        var host = HostRecord.Read(); // before this tool sets environment variables
        var hidden = CompletionThreads.Limit(options.Threads);
        using var interruption = new Interruption();
        try
        {
            var advice = await ExamineAsync(host);
            await using var servers = await ServerSet.OpenAsync(options, hidden, interruption.Token);
            return await MeasureAsync(servers, host, advice, interruption);
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            observer.Note(NothingYet());
            return ExitCode.Interrupted;
        }
    }

    /// <summary>Examines the machine before the run, and returns only the problems.</summary>
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
                throw new EnvironmentException($"--server-pids: there is no process {pid}, or its CPU time cannot be read");
            if (ListenerOwner.IsAboveThis(pid))
            {
                throw new EnvironmentException(
                    $"--server-pids: process {pid} is an ancestor of this tool, so its CPU time would include the CPU time of this tool");
            }
        }
        if (options.Watches.Count > 0)
        {
            using var states = ConnectionStates.Open([.. options.Watches.Select(watch => LocalEndpoints.From(watch.Address))])
                ?? throw new EnvironmentException("--watch: this system does not list its sockets (sock_diag): leave out --watch");
        }
        return await Doctor.Doctor.ProblemsAsync(
            new DoctorOptions
            {
                Connections = connections,
                Threads = options.Threads,
                Backlog = options.OwnServer ? options.Variants.Min(variant => variant.Knobs.Backlog ?? DoctorOptions.UsualBacklog) : null,
                SocketBuffer = options.Variants.Max(variant => variant.Knobs.SocketBuffer),
                ClientCpus = options.ClientCpus,
                ServerCpus = options.ServerCpus,
                ResultsFolder = null, // the run writes its results file as a check before the first round
                Tcp = options.OwnServer
                    ? options.Transports.Any(kind => kind is "tcp" or "tls")
                    : options.Addresses.Any(address => address is Address.Tcp or Address.Tls),
                Tls = options.OwnServer && options.Transports.Contains("tls"),
            },
            host);
    }

    private async Task<int> MeasureAsync(
        ServerSet servers, HostInfo host, IReadOnlyList<Advice> advice, Interruption interruption)
    {
        var plan = new BenchPlan(options, servers.Targets);
        if (options.Output.Crank && plan.Cells.Count != 1)
            throw new UsageException(BenchPlan.OneCell);
        var journal = Journal(servers, plan, host);
        // The user sees this note before the run, and may prefer to wait until other programs need less CPU time.
        foreach (var one in advice)
        {
            if (one.Id == "foreign-load")
                observer.Note($"{AdviceText.Doubt(one)} {AdviceText.Fix(one)}");
            else
                observer.Detail($"[{one.Id}] {one.Doubt} {one.Fix}");
        }
        foreach (var complaint in servers.Complaints)
            observer.Note("server: " + complaint);
        journal.Add(advice.Where(one => !journal.Record.Advice.Any(known => known.Id == one.Id)));
        var progress = new RunProgress();
        try
        {
            var profile = await ProfileAsync(plan, servers, progress, journal, interruption.Token);
            observer.Started(plan, progress, interruption.Request);
            await new BenchRunner(plan, new RoundRunner(plan.Options, servers, progress), journal, observer, profile)
                .RunAsync(interruption.Token);
        }
        finally
        {
            // A new file exists before the first round, so that no other run takes its name. It is removed if nothing
            // was measured.
            if (!journal.HasMeasured && options.Output.File is null && journal.File is { } empty)
                WholeFile.TryDelete(empty);
        }
        // The load shows only that the server does not answer. The exit of its process shows the reason.
        var failed = RunEnding.Failure(journal.Record.Ending) is not null;
        if ((failed || journal.Record.Ending == RunEnding.Complete) && await servers.DeathAsync(failed) is { } death)
            journal.Replace(record => record with { Ending = RunEnding.Failed(death) });
        if (!journal.HasMeasured)
            return Code(journal);
        try
        {
            observer.Finished(journal.Record, journal.Unsaved is null ? journal.File : null);
        }
        catch (EnvironmentException)
        {
            // A full disk also refuses the results file. The measurements are saved elsewhere before the error is shown.
            _ = Code(journal);
            throw;
        }
        return Code(journal);
    }

    /// <summary>
    /// Returns the function that samples the servers after the rounds. Null without <c>--profile</c>, and when no server can
    /// be sampled.
    /// </summary>
    private async Task<Func<CancellationToken, Task>?> ProfileAsync(
        BenchPlan plan, ServerSet servers, RunProgress progress, RunJournal journal, CancellationToken cancellation)
    {
        if (!options.Profile)
            return null;
        var (sampler, reason) = await ProfilePhase.ChooseAsync(servers, cancellation);
        if (reason.Length > 0)
            observer.Note(reason);
        if (sampler is not null)
        {
            var rounds = new RoundRunner(SampledWindows.Apply(plan.Options), servers, progress);
            return new ProfilePhase(sampler, plan, servers, rounds, journal, observer).RunAsync;
        }
        journal.Replace(record => record with { Profile = new RunProfile { Refused = reason } });
        return null;
    }

    private RunJournal Journal(ServerSet servers, BenchPlan plan, HostInfo host)
    {
        foreach (var report in options.Output.Reports)
            report.TryWrite();
        var begun = RunRecords.Begin(plan, commandLine, servers, host);
        var record = options.Resume?.Continue(begun) ?? begun;
        if (ResultsFile.Fault(record) is { } fault)
            throw new UsageException($"the results of this run could not be read again ({fault}): measure fewer cells in one run");
        try
        {
            var file = ResultsPath.For(options.Output, record);
            var journal = new RunJournal(record, file, observer.Note);
            // A file that cannot be written is found here, before the first round, and not after the last round.
            if (options.Output is { Save: true, File: { } named })
                ResultsFile.TrySave(named, record);
            return journal;
        }
        catch (ResultsFileException e)
        {
            throw new EnvironmentException($"{e.Message}: choose another file with -o, or use --no-save", e);
        }
    }

    private string NothingYet() => "Interrupted before anything was measured" + options.Output switch
    {
        { Save: true, File: { } file } when File.Exists(file) && !FileKind.IsStream(file) => $"; {file} is unchanged.",
        { Save: true, File: null } => ", so no file is kept.",
        _ => ".",
    };

    private int Code(RunJournal journal)
    {
        var record = journal.Record;
        var failure = RunEnding.Failure(record.Ending);
        if (failure is not null)
            observer.Note(failure);
        if (journal.Unsaved is { } unsaved)
        {
            observer.Note(unsaved);
            RunRescue.Offer(record, options.Output, observer);
        }
        if (failure is not null || journal.Unsaved is not null)
            return ExitCode.Environment;
        if (record.Ending == RunEnding.Interrupted)
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
        // In cells that search for a rate, a rate that is too high makes calls fail. This is no error of the run.
        return record.Rounds.Any(round => (round.Failed.Count > 0 || round.CutOff > 0) && !record.Cells[round.Cell].Key.VariesRate
            && !record.Rounds.Any(later => (later.Cell, later.Number) == (round.Cell, round.Number) && later.Attempt > round.Attempt))
            ? ExitCode.CallsFailed : ExitCode.Ok;
    }

    /// <summary>
    /// Returns one sentence about the first cell without any successful call. Null without such a cell. A successful
    /// call that began before the window counts too: a share of it is credited to the window.
    /// </summary>
    private static string? NothingSucceeded(RunRecord record)
    {
        var nothing = record.Rounds.GroupBy(round => round.Cell).FirstOrDefault(
            rounds => rounds.All(round => round is { Ok: 0, Credited: null or 0 }));
        if (nothing is null)
            return null;
        var (address, started) = (record.Cells[nothing.Key].Address, nothing.Sum(round => round.Started));
        return started == 0
            ? $"no call to {address} was made: there is nothing to report"
            : string.Create(
                CultureInfo.InvariantCulture, $"none of {started} calls to {address} succeeded: there is nothing to report");
    }
}
