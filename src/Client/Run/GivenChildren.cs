using System.Diagnostics;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Starts the children of users' commands, which speak on their standard input and output.</summary>
/// <param name="hiddenVariables">Runtime variables that this process has changed, with their original values.</param>
internal sealed class GivenChildren(IReadOnlyDictionary<string, string?> hiddenVariables) : IAsyncDisposable
{
    private readonly ProcessReaper reaper = ProcessReaper.Start(adopting: true);
    private readonly List<ProcessReaper.KeptServer> kept = [];

    /// <summary>Makes the commands of these servers start when a connection opens.</summary>
    public void Offer(IEnumerable<ToolArm> arms)
    {
        foreach (var arm in arms)
        {
            if (arm is { Words: { } words, Address: Address.Child child })
                Children.Offer(child, _ => Start(words));
        }
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
        var start = new ProcessStartInfo(words[0], words.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            CreateNoWindow = true,
        };
        foreach (var (variable, original) in hiddenVariables)
            start.Environment[variable] = original;
        ProcessReaper.MarkServer(start);
        var process = Affinity.Start(start, Relaunch.CpusBefore(), "the command");
        // Children.Start starts one child at a time.
        kept.Add(reaper.Keep(process));
        return process;
    }
}
