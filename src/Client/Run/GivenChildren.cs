using System.Diagnostics;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Starts users' commands as children. Each child serves one connection on its standard input and output.</summary>
/// <param name="hiddenVariables">Runtime variables that this process has changed, with their original values.</param>
internal sealed class GivenChildren(IReadOnlyDictionary<string, string?> hiddenVariables) : IAsyncDisposable
{
    private readonly ProcessReaper reaper = ProcessReaper.Start(adopting: true);
    private readonly List<ProcessReaper.KeptServer> kept = [];

    /// <summary>Makes the user's commands start when a connection to their addresses opens. Returns these addresses.</summary>
    public IReadOnlyList<Address> Offer(RunOptions options)
    {
        var commands = options.Tools.Count > 0 ? options.Tools.Select(arm => (arm.Address, arm.Words))
            : options.Addresses.Select(
                address => (address, address is Address.Child child ? Parsers.Words(child.Name, "-U stdio:") : null));
        var offered = new List<Address>();
        foreach (var (address, words) in commands)
        {
            if (address is not Address.Child child || words is null)
                continue;
            Children.Offer(child, _ => Start(words));
            offered.Add(child);
        }
        return offered;
    }

    /// <summary>Ends all processes that the children have left behind. The children themselves have been told to end.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var one in kept)
            await one.DisposeAsync();
        reaper.Dispose();
    }

    private Process Start(IReadOnlyList<string> words)
    {
        var start = new ProcessStartInfo(words[0], words.Skip(1));
        ProcessReaper.MarkServer(start);
        var process = ChildProcess.Start(start, hiddenVariables, null, "the command");
        // The list needs no lock: Children.Start starts one child at a time.
        kept.Add(reaper.Keep(process));
        return process;
    }
}
