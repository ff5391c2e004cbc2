using System.ComponentModel;
using System.Globalization;
using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Profile;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// The windows of <c>--profile</c>, after all rounds: the cells of the first phase are loaded as in a round, while their servers are
/// sampled. These windows count in no result except the profile.
/// </summary>
internal sealed class ProfilePhase(
    Sampler sampler, BenchPlan plan, ServerSet servers, IRoundRunner rounds, RunJournal journal, IRunObserver observer)
{
    private const string NoRuntime = "without perf(1), only a .NET runtime of this user can take samples";

    private readonly Dictionary<int, StageTally> tallies = [];

    /// <summary>
    /// Chooses how the servers of the run are sampled. Called before the first round, so that nobody waits for samples that never come.
    /// </summary>
    /// <inheritdoc cref="Sampler.ChooseAsync" path="/returns"/>
    public static async Task<(Sampler? Sampler, string Reason)> ChooseAsync(ServerSet servers, CancellationToken cancellation)
    {
        var owners = servers.Targets.Select(target => servers.OwnerOf(servers.Now(target).Address)).ToList();
        var processes = owners.SelectMany(owner => owner.Pids).Distinct().ToList();
        var chosen = await Sampler.ChooseAsync(processes, cancellation);
        return chosen.Sampler is null || processes.Count > 0 ? chosen
            : (null, $"--profile: no process of a server is known: {ReasonOf(owners[0])}");
    }

    /// <summary>Samples the servers in all windows. If sampling ends early, the record has the samples so far.</summary>
    /// <exception cref="OperationCanceledException">The user ended the run.</exception>
    public async Task RunAsync(CancellationToken cancellation)
    {
        var refused = "";
        servers.EnterProfile();
        try
        {
            observer.Note($"the server is sampled by {(sampler.By == RunProfile.Perf ? "perf" : "its .NET runtime")}: "
                + string.Create(CultureInfo.InvariantCulture, $"{SampledWindows.Count} windows of ")
                + string.Create(CultureInfo.InvariantCulture, $"{SampledWindows.Length.TotalSeconds:0.###} s per cell; ")
                + "results do not count these windows");
            for (var window = 1; window <= SampledWindows.Count; window++)
            {
                foreach (var together in plan.Turns(plan.FirstPhase, window))
                    await WindowAsync(together, window, cancellation);
            }
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException or Win32Exception
            or TimeoutException || (e is OperationCanceledException && !cancellation.IsCancellationRequested))
        {
            refused = $"The server was not sampled to the end: {e.Message}";
            observer.Note(refused);
        }
        finally
        {
            await sampler.DisposeAsync();
            var frames = new List<string>();
            List<CellProfile> cells = [.. plan.FirstPhase.Select(cell => ProfileOf(cell, frames))];
            journal.Replace(record => record with
            {
                Profile = new RunProfile
                {
                    Refused = refused,
                    By = sampler.By,
                    SamplesPerSecond = sampler.PerSecond,
                    Frames = frames,
                    Cells = cells,
                },
            });
        }
    }

    private CellProfile ProfileOf(PlannedCell cell, List<string> frames) =>
        tallies.TryGetValue(cell.Index, out var tally) ? tally.Record(cell.Index, frames)
            : new CellProfile { Cell = cell.Index, Refused = IsAsked(cell) ? ReasonOf(OwnerOf(cell)) : NoRuntime };

    private ServerOwner OwnerOf(PlannedCell cell) => servers.OwnerOf(servers.Now(cell).Target.Address);

    // False when only a runtime may sample, and no process of the server has one.
    private bool IsAsked(PlannedCell cell) => OwnerOf(cell).Pids.Count == 0 || sampler.Sampled(OwnerOf(cell).Pids).Any();

    private static string ReasonOf(ServerOwner owner) => owner.Pids.Count > 0 ? "no window of this cell was sampled"
        : owner.Reason.Length > 0 ? owner.Reason : "each connection has a process of its own, which is not sampled";

    /// <summary>Measures one cell, or all cells of a comparison in turns, while their servers are sampled.</summary>
    private async Task WindowAsync(IReadOnlyList<PlannedCell> planned, int number, CancellationToken cancellation)
    {
        var processes = planned.Where(cell => OwnerOf(cell).Pids.Count > 0).ToDictionary(cell => cell.Index, ProcessesOf);
        var cells = planned.Where(cell => processes.TryGetValue(cell.Index, out var known) && known.Count > 0).ToList();
        if (cells.Count == 0)
            return;
        var all = processes.Values.SelectMany(one => one).ToHashSet();
        GC.Collect(); // as before each measurement of a round
        await using var recording = await sampler.StartAsync(all, cancellation);
        var measured = cells is [var single]
            ? [await rounds.MeasureAsync(single, number, 0, plan.Options.Rate, cancellation)]
            : await rounds.MeasureInTurnsAsync(cells, number, 0, cancellation);
        await recording.StopAsync();
        await foreach (var sample in recording.ReadAsync())
        {
            foreach (var one in measured.Where(one => processes[one.Round.Cell].Contains(sample.Process)
                && one.Spans.Any(span => span.From <= sample.Timestamp && sample.Timestamp < span.To)))
            {
                TallyOf(one.Round.Cell).Add(sample.Thread, sample.Stack, sampler.IsDotnet(sample.Process));
            }
        }
        foreach (var one in measured)
        {
            var server = one.Round.Server;
            TallyOf(one.Round.Cell).EndWindow(
                number, one.Round.Credited ?? one.Round.Completed, server is null ? 0 : server.CpuUserNs + server.CpuKernelNs);
            if (one.ServerLost is { } lost)
                throw new IOException(lost);
        }
        cancellation.ThrowIfCancellationRequested();
    }

    private StageTally TallyOf(int cell) => tallies.TryGetValue(cell, out var known) ? known : tallies[cell] = new StageTally();

    private HashSet<int> ProcessesOf(PlannedCell cell)
    {
        var tree = new ProcessTree(OwnerOf(cell).Pids);
        tree.Find();
        return [.. sampler.Sampled(tree.Members)];
    }
}
