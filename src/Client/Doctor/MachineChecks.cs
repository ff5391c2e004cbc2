using static System.FormattableString;

namespace IpcBench.Client.Doctor;

/// <summary>Checks of the processor, and of other programs that use it.</summary>
internal static class MachineChecks
{
    /// <summary>
    /// A reading of the clock that takes longer than this is slow. A clock that is read in user space takes 15 to 60 ns. A
    /// clock that enters the kernel or a hypervisor takes many times as long.
    /// </summary>
    private const double SlowClockNs = 250;

    private static readonly string[] ChangingGovernors =
        ["powersave", "ondemand", "conservative", "schedutil", "userspace", "Balanced", "Power saver"];

    public static Finding Quota(DoctorFacts facts)
    {
        var quota = facts.Host.CpuQuota;
        if (quota <= 0 || quota >= facts.Cpus)
            return new("cpu-quota", Level.Ok, quota <= 0 ? "no CPU quota" : Invariant($"a CPU quota of {quota:0.##}, which is all CPUs"));
        return new("cpu-quota", Level.Warn,
            Invariant($"the CPU quota allows {quota:0.##} of {facts.Cpus} CPUs: ")
            + "processes that use more are paused for a part of each 100 ms",
            "run without a CPU limit (docker --cpus, CPUQuota= of a service, Kubernetes limits.cpu), "
            + "or assign whole CPUs with a CPU set instead");
    }

    public static Finding Cores(DoctorFacts facts)
    {
        var (client, server) = (facts.Options.ClientCpus, facts.Options.ServerCpus);
        if (client is not null && server is not null)
        {
            return client.Cpus.Intersect(server.Cpus).Any()
                ? new("cores", Level.Warn, $"client ({client}) and server ({server}) share CPUs",
                    "give client and server sets that do not overlap")
                : new("cores", Level.Ok, $"client ({client}) and server ({server}) have CPUs of their own");
        }
        if (facts.Cpus >= 4)
            return new("cores", Level.Ok, Invariant($"{facts.Cpus} CPUs for client and server"));
        var threads = facts.Options.Threads > facts.Cpus
            ? Invariant($"; threads beyond the number of CPUs only cost time, so use -t {facts.Cpus}")
            : "";
        return new("cores", Level.Warn,
            Invariant($"{facts.Cpus} CPUs for client and server together: they compete for CPU time, ")
            + "so requests/s depend on the cost of both",
            "compare transports by their ratios and CPU per call; for absolute figures use a machine with 4 CPUs or more" + threads);
    }

    public static Finding Governor(DoctorFacts facts) => facts.Host.Governor switch
    {
        "" => new("governor", Level.Ok, "no frequency governor is visible here"),
        var governor when ChangingGovernors.Contains(governor) => new("governor", Level.Warn,
            $"the governor '{governor}' changes the clock rate with the load",
            "cpupower frequency-set -g performance (Windows: powercfg /setactive SCHEME_MIN)"),
        var governor => new("governor", Level.Ok, $"the governor is '{governor}'"),
    };

    public static Finding Clock(DoctorFacts facts)
    {
        var text = Invariant($"one reading of the clock ({facts.Host.ClockSource}) takes {facts.ClockNs:0} ns");
        return facts.ClockNs <= SlowClockNs
            ? new("clock", Level.Ok, text)
            : new("clock", Level.Warn, text + ": every call reads the clock, so every call takes longer",
                "use the processor's own clock (clocksource=tsc on the kernel's command line)");
    }

    public static Finding ForeignLoad(DoctorFacts facts)
    {
        if (facts.Machine is not { CapacityNs: > 0 } machine)
            return new("foreign-load", Level.Ok, "the CPU use of other programs is unknown on this system");
        var share = Math.Max(0, machine.BusyNs - facts.OwnCpuNs) / (double)machine.CapacityNs;
        var steal = machine.StealNs / (double)machine.CapacityNs;
        if (steal > 0.1)
        {
            return new("foreign-load", Level.Warn, Invariant($"the hypervisor gives {steal * 100:0} % of the CPU time to other machines"),
                "use a machine of your own, or many rounds");
        }
        // The watch is short, and CPU times advance in steps of 10 ms: a share of up to a tenth is no warning.
        return share <= 0.1
            ? new("foreign-load", Level.Ok, Invariant($"other programs use {share * 100:0} % of the machine"))
            : new("foreign-load", Level.Warn, Invariant($"other programs use {share * 100:0} % of the machine"),
                "stop these programs, or plan more rounds");
    }
}
