using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Keeps hold of servers that are not this tool's own, which do not watch their standard input as its own server does: of each with all
/// that it starts, also where that goes on in the background or a shell between has ended. They end with the server, and when this process
/// is killed. On Windows the system does both (a job object for each); elsewhere a process that is told of each server and outlives this
/// one does the second, and on Linux this process takes over what has lost its parent.
/// </summary>
internal sealed class ProcessReaper : IDisposable
{
    public const string Command = "reaper";

    // In the environment of servers: what they start inherits it, in another session, too.
    private const string Variable = "GRPCBENCH_REAPER";

    // What the servers' end starts, ends too: a few times, since killing one may set free another.
    private const int MostPasses = 500;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    // Another number would be enough for one machine; a container's first run has always the same.
    private static readonly string Mark = Guid.NewGuid().ToString("N");

    private readonly Process? process;
    private readonly bool isAdopting;

    // Children of this process that are no orphans of a server.
    private readonly HashSet<int> own = [];

    // Orphans that were found to be a server's.
    private readonly HashSet<int> adopted = [];

    private ProcessReaper(Process? process, bool isAdopting) => (this.process, this.isAdopting) = (process, isAdopting);

    /// <param name="adopting">
    /// Orphans become children of this process, and all its children that it does not know are taken for orphans of its servers.
    /// </param>
    /// <exception cref="EnvironmentException">This program cannot be started once more.</exception>
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

    /// <summary>Lets the reaper find a server, and whatever it starts when nobody looks any more.</summary>
    public static void MarkServer(ProcessStartInfo server) => server.Environment[Variable] = Mark;

    /// <summary>From now on the server ends with this process; disposing of what is returned ends what is left of it.</summary>
    public KeptServer Keep(Process server)
    {
        if (OperatingSystem.IsWindows())
            return new KeptServer(this, server.Id, new ChildLife(server));
        own.Add(server.Id);
        Tell(server.Id);
        return new KeptServer(this, server.Id, null);
    }

    /// <summary>
    /// What the reaper does: remembers processes, by number and start, until its input ends, and kills those that are left. A number may be
    /// another's by then, of one that nobody ended. Then it kills what a server started after it was last looked at.
    /// </summary>
    public static async Task RunAsync(TextReader input)
    {
        // Ctrl-C is for the run, which goes on to end its servers itself.
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

    // 0 where the system does not tell, and then the numbers are believed.
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
            // Somebody ended the reaper: the servers still end with the run, unless that is killed too.
        }
    }

    private List<int> NewOrphans() => isAdopting ? [.. Orphans.Children().Where(child => !own.Contains(child))] : [];

    /// <summary>A server that the reaper knows.</summary>
    internal sealed class KeptServer(ProcessReaper reaper, int id, IDisposable? job) : IAsyncDisposable
    {
        private readonly List<int> told = [id];

        /// <summary>
        /// Tells the reaper of all that the server has started so far. Returns those that have lost their parent: they are no descendants
        /// of the server's process any more.
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

        /// <summary>Ends what the server has left behind; the server itself has been told to end before.</summary>
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
