using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Ends the users' servers, which do not watch their standard input as this project's server does. Each server is
/// ended when the run ends and when this process is killed, with all processes that it started, even in the
/// background or after a shell in between has ended. On Windows a job object per server does both. On other systems,
/// a helper process knows each server, outlives this process and handles the kill. On Linux this process also adopts
/// orphans.
/// </summary>
internal sealed class ProcessReaper : IDisposable
{
    public const string Command = "reaper";

    // A variable in the environment of servers. Their child processes inherit it, in any session.
    private const string Variable = "GRPCBENCH_REAPER";

    // The passes that kill orphans are repeated, since a kill may create new orphans.
    private const int MostPasses = 500;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    // A random text. A process id would not be unique, since the first run of each container has the same id.
    private static readonly string Mark = Guid.NewGuid().ToString("N");

    private readonly Process? process;
    private readonly bool isAdopting;

    // Children of this process that are not orphans of a server.
    private readonly HashSet<int> own = [];

    // Orphans that belong to a server.
    private readonly HashSet<int> adopted = [];

    private ProcessReaper(Process? process, bool isAdopting) => (this.process, this.isAdopting) = (process, isAdopting);

    /// <param name="adopting">Orphans become children of this process, and every unknown child counts as an orphan of a server.</param>
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
    /// Lets the server end with this process from now on. Disposing the result ends all processes that the server has left.
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
    /// Does the work of the helper process. Remembers processes, by id and start, until its input ends, and then
    /// kills the remembered processes that still run. A process with the same id but another start is left alone.
    /// After that, kills processes that a server started after the last look.
    /// </summary>
    public static async Task RunAsync(TextReader input)
    {
        // Ctrl-C is meant for the run, which ends its servers itself.
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
                ChildProcess.Kill(id);
        }
        for (var pass = 0; mark.Length > 0 && pass < MostPasses && Orphans.Marked(mark) is { Count: > 0 } marked; pass++)
        {
            foreach (var id in marked)
                ChildProcess.Kill(id);
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

    // Returns 0 where the system does not tell the start. Then the id alone is compared.
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
            // The helper process was killed. The servers still end with the run, but not if this process is killed too.
        }
    }

    private List<int> NewOrphans() => isAdopting ? [.. Orphans.Children().Where(child => !own.Contains(child))] : [];

    /// <summary>A server that the reaper watches.</summary>
    internal sealed class KeptServer(ProcessReaper reaper, int id, IDisposable? job) : IAsyncDisposable
    {
        private readonly List<int> told = [id];

        /// <summary>
        /// Tells the helper process about all processes that the server has started so far. Returns their orphans,
        /// which are no longer descendants of the server's process.
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

        /// <summary>Ends the processes that the server has left behind. The server itself was told to end before.</summary>
        public async ValueTask DisposeAsync()
        {
            job?.Dispose();
            for (var pass = 0; pass < MostPasses && reaper.NewOrphans() is { Count: > 0 } orphans; pass++)
            {
                foreach (var orphan in orphans)
                {
                    ChildProcess.Kill(orphan);
                    Orphans.Reap(orphan);
                }
                await Task.Delay(Pause);
            }
            foreach (var one in told)
                reaper.Tell(string.Create(CultureInfo.InvariantCulture, $"-{one}"));
        }
    }
}
