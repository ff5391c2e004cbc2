using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>Judges whether something other than the benchmark had the machine while a cell was measured.</summary>
internal static class ForeignLoad
{
    /// <summary>
    /// Share of the machine that others may use. Kernel threads and a quiet desktop stay under 3 %; with two CPUs 5 % is a tenth of one of
    /// them, enough to move a round by more than the 3 % that a comparison is usually asked for.
    /// </summary>
    public const double ForeignShare = 0.05;

    /// <summary>Share that the hypervisor may give to others: it stops a whole CPU, in the middle of calls, so less of it hurts.</summary>
    public const double StealShare = 0.02;

    /// <summary>
    /// The clocks count in steps of 10 to 16 ms and those of the two processes are read a little apart: less is noise in a short round.
    /// </summary>
    public const long ForeignNs = 100_000_000;

    /// <summary>The same for steal, which is one clock: a few of its steps.</summary>
    public const long StealNs = 40_000_000;

    /// <summary>How far a reading of the fixed loop may be from the usual one: shared machines wander by 3 % all the time.</summary>
    public const double LoopShare = 0.10;

    /// <summary>
    /// And how many robust standard deviations (1.4826 × the median deviation), or a machine that always wanders is always spoiled.
    /// </summary>
    public const double LoopDeviations = 5;

    /// <summary>Readings of the fixed loop without which none of them is an outlier.</summary>
    public const int LoopReadings = 8;

    /// <summary>Why the cell is spoiled, with the numbers; empty when it is not.</summary>
    /// <param name="machine">Null where the system does not tell: then only the loop is judged.</param>
    /// <param name="server">
    /// Null when the server does not tell: its share cannot be told from a stranger's, so only steal and the loop are judged.
    /// </param>
    /// <param name="loopNs">The loop before this cell; 0 when not timed.</param>
    /// <param name="loops">All readings of the run so far, this one included or not.</param>
    public static string Reason(
        MachineUsage? machine, ProcessUsage client, ProcessUsage? server, long loopNs, IReadOnlyCollection<long> loops)
    {
        string[] reasons = [Steal(machine), Foreign(machine, client, server), Loop(loopNs, loops)];
        return string.Join("; ", reasons.Where(reason => reason.Length > 0));
    }

    private static string Steal(MachineUsage? machine) => machine is not null && IsMore(machine.StealNs, StealNs, StealShare, machine)
        ? Text($"the hypervisor gave {Share(machine.StealNs, machine):0.0} % of the CPU time to others")
        : "";

    private static string Foreign(MachineUsage? machine, ProcessUsage client, ProcessUsage? server)
    {
        if (machine is null || server is null)
            return "";
        // Interrupt time is loopback's own receive work. Kernels that charge it to the process it interrupted have it in both numbers, and
        // then this is too lenient by it; the other way round every TCP cell would be called spoiled.
        var foreign = machine.BusyNs - machine.SoftIrqNs - Cpu(client) - Cpu(server);
        return IsMore(foreign, ForeignNs, ForeignShare, machine)
            ? Text($"other programs used {Share(foreign, machine):0.0} % of the machine")
            : "";
    }

    private static string Loop(long loopNs, IReadOnlyCollection<long> loops)
    {
        if (loopNs <= 0 || loops.Count < LoopReadings)
            return "";
        var usual = Median(loops);
        var deviation = 1.4826 * Median([.. loops.Select(reading => Math.Abs(reading - usual))]);
        var off = Math.Abs(loopNs - usual);
        return off > LoopShare * usual && off > LoopDeviations * deviation
            ? Text($"the machine ran a fixed loop {off / (double)usual * 100:0} % {(loopNs > usual ? "slower" : "faster")} than usual")
            : "";
    }

    private static bool IsMore(long ns, long floor, double share, MachineUsage machine) => ns > Math.Max(floor, share * machine.CapacityNs);

    private static double Share(long ns, MachineUsage machine) => 100.0 * ns / machine.CapacityNs;

    private static long Cpu(ProcessUsage usage) => usage.CpuUserNs + usage.CpuKernelNs;

    private static long Median(IReadOnlyCollection<long> values) => values.Order().ElementAt((values.Count - 1) / 2);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
