using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Ends the servers of users, which do not watch their standard input as this project's server does. A server ends
/// with all processes that it started, even in the background, when the run ends and when this process is killed. On
/// Windows, a job object for each server does this in both cases. On other systems, a helper process outlives this
/// process and ends the servers if this process was killed. On Linux, this process also adopts orphans: processes whose
/// parent has ended.
/// </summary>
internal sealed class ProcessReaper : IDisposable
{
    public const string Command = "reaper";

    // The environment variable that marks servers. Their child processes inherit the variable, even in another session.
    private const string Variable = "GRPCBENCH_REAPER";

    // The most passes in which orphans are killed. One pass may not be enough, since a kill may create new orphans.
    private const int MostPasses = 500;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    // A random text that marks the servers of this run. A process id would not be unique, since two runs in two containers
    // may have the same id.
    private static readonly string Mark = Guid.NewGuid().ToString("N");

    private readonly Process? process;
    private readonly bool isAdopting;

    // Known children of this process, which are therefore not orphans of a server.
    private readonly HashSet<int> own = [];

    // Orphans that belong to a server.
    private readonly HashSet<int> adopted = [];

    private ProcessReaper(Process? process, bool isAdopting) => (this.process, this.isAdopting) = (process, isAdopting);

    /// <param name="adopting">True to make orphans children of this process. Unknown children then count as orphans of a server.</param>
    /// <exception cref="EnvironmentException">The helper process cannot be started.</exception>
    public static ProcessReaper Start(bool adopting = false)
    {
        if (OperatingSystem.IsWindows())
            return new ProcessReaper(null, isAdopting: false);
        var info = ThisProgram.StartInfo([Command]);
        info.RedirectStandardInput = true;
        info.UseShellExecute = false;
        var reaper = new ProcessReaper(Affinity.Start(info, cpus: null), adopting && Orphans.TryAdopt());
        if (reaper.isAdopting)
            reaper.own.UnionWith(Orphans.Children());
        reaper.Tell($"={Variable}={Mark}");
        return reaper;
    }

    /// <summary>Marks a server, so that the reaper finds the server and all processes that the server starts later.</summary>
    public static void MarkServer(ProcessStartInfo server) => server.Environment[Variable] = Mark;

    /// <summary>
    /// Makes the server end when this process ends. Disposing the result ends all processes that the server has left
    /// behind.
    /// </summary>
    public KeptServer Keep(Process server)
    {
        if (OperatingSystem.IsWindows())
            return new KeptServer(this, server.Id, new ChildLife(server));
        own.Add(server.Id);
        Tell(server.Id);
        return new KeptServer(this, server.Id, null);
    }

    /// <summary>
    /// Does the work of the helper process. Remembers the reported processes, by id and start time, until the input ends.
    /// Then kills the remembered processes that still run, but no new process that has the id of an ended one. Finally
    /// kills the marked processes that were never reported.
    /// </summary>
    public static async Task RunAsync(TextReader input)
    {
        // The helper process ignores the signals. Ctrl-C is meant for the run's process, which ends its servers itself.
        PosixSignal[] signals = [PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT, PosixSignal.SIGHUP];
        var ignored = signals.Select(signal => PosixSignalRegistration.Create(signal, context => context.Cancel = true)).ToList();
        var left = new Dictionary<int, long>();
        var mark = "";
        while (await input.ReadLineAsync() is { Length: > 1 } line)
        {
            if (line[0] == '=')
            {
                mark = line[1..];
                continue;
            }
            var words = line[1..].Split(' ');
            if (!int.TryParse(words[0], NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                continue;
            if (line[0] == '-')
                left.Remove(id);
            else if (long.TryParse(words[^1], NumberStyles.None, CultureInfo.InvariantCulture, out var start))
                left[id] = start;
        }
        foreach (var (id, start) in left)
        {
            if (StartOf(id) == start)
                ProcessTree.Kill(id);
        }
        for (var pass = 0; mark.Length > 0 && pass < MostPasses && Orphans.Marked(mark) is { Count: > 0 } marked; pass++)
        {
            foreach (var id in marked)
                ProcessTree.Kill(id);
            await Task.Delay(Pause);
        }
        ignored.ForEach(one => one.Dispose());
    }

    public void Dispose()
    {
        if (process is null)
            return;
        process.StandardInput.Close();
        process.WaitForExit(TimeSpan.FromSeconds(5));
        process.Dispose();
    }

    // Returns 0 where the system does not tell the start time. Then only the ids are compared.
    private static long StartOf(int id) => ProcessClock.Read(id)?.StartTicks ?? 0;

    private void Tell(int id) => Tell(string.Create(CultureInfo.InvariantCulture, $"+{id} {StartOf(id)}"));

    private void Tell(string line)
    {
        try
        {
            process?.StandardInput.WriteLine(line);
            process?.StandardInput.Flush();
        }
        catch (IOException)
        {
            // The helper process was killed. The servers still end when the run ends, but not when this process is killed.
        }
    }

    private List<int> NewOrphans() => isAdopting ? [.. Orphans.Children().Where(child => !own.Contains(child))] : [];

    /// <summary>A server that the reaper watches.</summary>
    internal sealed class KeptServer(ProcessReaper reaper, int id, IDisposable? job) : IAsyncDisposable
    {
        private readonly List<int> told = [id];

        /// <summary>
        /// Tells the helper process about all processes that the server has started so far. Returns the new orphans:
        /// their parent has ended since the last call, and they are no longer descendants of the server.
        /// </summary>
        public IReadOnlyList<int> Find(ProcessTree tree)
        {
            var orphans = reaper.NewOrphans().Where(reaper.adopted.Add).ToList();
            tree.Find();
            foreach (var one in tree.Descendants.Concat(orphans).Except(told).ToList())
            {
                reaper.Tell(one);
                told.Add(one);
            }
            return orphans;
        }

        /// <summary>Ends the processes that the server has left behind. The server itself has already been told to end.</summary>
        public async ValueTask DisposeAsync()
        {
            job?.Dispose();
            for (var pass = 0; pass < MostPasses && reaper.NewOrphans() is { Count: > 0 } orphans; pass++)
            {
                foreach (var orphan in orphans)
                {
                    ProcessTree.Kill(orphan);
                    Orphans.Reap(orphan);
                }
                await Task.Delay(Pause);
            }
            foreach (var one in told)
                reaper.Tell(string.Create(CultureInfo.InvariantCulture, $"-{one}"));
        }
    }
}
