using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Ends servers that are not this tool's own when this process is killed: they do not watch their standard input as its own server does. On
/// Windows the system does it (a job object for each); elsewhere a process that is told of each server and outlives this one.
/// </summary>
internal sealed class ServerKeeper : IDisposable
{
    public const string Command = "keeper";

    private readonly Process? process;

    private ServerKeeper(Process? process) => this.process = process;

    /// <exception cref="EnvironmentException">This program cannot be started once more.</exception>
    public static ServerKeeper Start()
    {
        if (OperatingSystem.IsWindows())
            return new ServerKeeper(null);
        var info = ThisProgram.StartInfo([Command]);
        info.RedirectStandardInput = true;
        info.UseShellExecute = false;
        return new ServerKeeper(Affinity.Start(info, cpus: null));
    }

    /// <summary>From now on the process ends with this one; disposing of what is returned says that it has ended.</summary>
    public IDisposable Keep(Process server)
    {
        if (OperatingSystem.IsWindows())
            return new ChildLife(server);
        Tell(string.Create(CultureInfo.InvariantCulture, $"+{server.Id} {StartOf(server.Id)}"));
        return new Kept(this, server.Id);
    }

    /// <summary>
    /// What the keeper does: remembers processes, by number and start, until its input ends, and kills those that are left. A number may be
    /// another's by then, of one that nobody ended.
    /// </summary>
    public static async Task RunAsync(TextReader input)
    {
        // Ctrl-C is for the run, which goes on to end its servers itself.
        PosixSignal[] signals = [PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT, PosixSignal.SIGHUP];
        var ignored = signals.Select(signal => PosixSignalRegistration.Create(signal, context => context.Cancel = true)).ToList();
        var left = new Dictionary<int, long>();
        while (await input.ReadLineAsync() is { Length: > 1 } line)
        {
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

    private void Tell(string line)
    {
        try
        {
            process!.StandardInput.WriteLine(line);
            process.StandardInput.Flush();
        }
        catch (IOException)
        {
            // Somebody ended the keeper: the servers still end with the run, unless that is killed too.
        }
    }

    private sealed class Kept(ServerKeeper keeper, int id) : IDisposable
    {
        public void Dispose() => keeper.Tell(string.Create(CultureInfo.InvariantCulture, $"-{id}"));
    }
}
