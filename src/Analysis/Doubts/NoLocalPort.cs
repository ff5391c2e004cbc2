using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Connects failed because every local port was in use or waited out its minute.</summary>
internal sealed class NoLocalPort() : CellDoubt(
    "ports",
    "Open fewer connections a second than there are ports for a minute (-R), widen net.ipv4.ip_local_port_range, let Linux use such ports again (net.ipv4.tcp_tw_reuse=1), or use a Unix socket, which needs no port.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var (without, started) = (cell.Rounds.Sum(r => r.Record.Failed.GetValueOrDefault("no local port")), cell.Rounds.Sum(r => r.Record.Started));
        return without == 0 ? null : new Finding((double)without / started, Invariant(
            $"{without} of {started} calls found no free local port; whoever closes a TCP connection first keeps its port for a minute (TIME_WAIT), and all ports of the range were taken"));
    }
}
