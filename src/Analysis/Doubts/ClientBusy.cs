using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The client used nearly all the CPU time it may use: it may be what was measured.</summary>
internal sealed class ClientBusy() : CellDoubt("client-limit", "Give the client more threads (-t) or CPUs; until then a faster transport may hide behind the client.")
{
    private const double Limit = 0.9;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var allowed = Allowed(run.Record, cell.Key);
        var share = cell.Rounds.Max(r => MeasurementView.CpuNs(r.Record.Client) / (Span(run.Record, r.Record) * allowed));
        return share >= Limit ? new Finding(share, Invariant($"the client used {Quantity.Percent(share)} of the {allowed:0.##} CPUs that it may use")) : null;
    }

    /// <summary>How many CPUs' worth of time the client may use: threads, CPUs it is tied to, the container's quota.</summary>
    private static double Allowed(RunRecord run, CellKey key)
    {
        var host = run.Host;
        var cpus = CountOf(host.ClientCpus) ?? (host.LogicalCpus > 0 ? host.LogicalCpus : int.MaxValue);
        var threads = Math.Max(1, Math.Min(run.Options.Threads, key.Connections));
        return Math.Min(Math.Min(threads, cpus), host.CpuQuota > 0 ? host.CpuQuota : double.MaxValue);
    }

    /// <summary>The span that the usage covers, drain included, where the machine's capacity tells it.</summary>
    private static double Span(RunRecord run, Measurement round) =>
        round.Machine is { CapacityNs: > 0 } machine && run.Host.LogicalCpus > 0 ? Math.Max(round.WindowNs, (double)machine.CapacityNs / run.Host.LogicalCpus) : round.WindowNs;

    /// <summary>Number of CPUs in a list such as <c>0-1,4</c>; null when it is not one.</summary>
    private static int? CountOf(string cpus)
    {
        var count = 0;
        foreach (var part in cpus.Split(','))
        {
            var ends = part.Split('-');
            if (!int.TryParse(ends[0], out var first) || !int.TryParse(ends[^1], out var last) || last < first || last > 4096)
                return null;
            count += last - first + 1;
        }
        return count;
    }
}
