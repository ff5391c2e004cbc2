namespace IpcBench.Host;

/// <summary>The clocks of a <see cref="ProcessTree"/> at one moment.</summary>
/// <param name="Roots">The processes that the tree was made for.</param>
/// <param name="Clocks">The clock of each process that could be read, by process id.</param>
public sealed record TreeReading(IReadOnlyList<int> Roots, IReadOnlyDictionary<int, ProcessClock> Clocks)
{
    /// <summary>Resident memory in bytes. A page that several processes share counts for each of them.</summary>
    public long WorkingSetBytes => Clocks.Values.Sum(clock => clock.WorkingSetBytes);

    /// <summary>
    /// Computes the user and kernel time in ns of all processes of the tree between two readings. Processes that
    /// started in between are included, and on Linux processes that ended in between too. Null when a root cannot be
    /// read, or when a new process has the id of a root.
    /// </summary>
    public static (long UserNs, long KernelNs)? Between(TreeReading earlier, TreeReading later)
    {
        if (!later.Roots.All(root => earlier.Clocks.ContainsKey(root) && later.Clocks.ContainsKey(root)))
            return null;
        var (user, kernel) = (0L, 0L);
        var waited = new Dictionary<int, (long User, long Kernel)>();
        foreach (var (process, now) in later.Clocks)
        {
            // By now the id may belong to a new process, whose time counts from its start. For a root this means that the
            // server has ended, and the result is null.
            var known = earlier.Clocks.GetValueOrDefault(process);
            var then = known is not null && (known.StartTicks == now.StartTicks || later.Roots.Contains(process)) ? known : Born(now);
            if (ProcessClock.Between(then, now) is not var (userNs, kernelNs))
                return null;
            var (childUser, childKernel) = (now.EndedUserNs - then.EndedUserNs, now.EndedKernelNs - then.EndedKernelNs);
            (user, kernel) = (user + userNs - childUser, kernel + kernelNs - childKernel);
            waited[process] = (childUser, childKernel);
        }
        var (endedUser, endedKernel) = Ended(earlier, later, waited);
        return (user + endedUser, kernel + endedKernel);
    }

    /// <summary>
    /// Computes the CPU time of processes that ended between two readings. When a process waits for an ended child, the
    /// kernel adds the time of the child's whole life to this process. So the child's time before the first reading is
    /// subtracted: from the time that was added to its parent, or from the total if the parent ended too. The time of a
    /// child that nobody waited for is lost.
    /// </summary>
    private static (long UserNs, long KernelNs) Ended(
        TreeReading earlier, TreeReading later, Dictionary<int, (long User, long Kernel)> waited)
    {
        var (orphanUser, orphanKernel) = (0L, 0L);
        foreach (var (process, then) in earlier.Clocks)
        {
            if (later.Clocks.TryGetValue(process, out var now) && now.StartTicks == then.StartTicks)
                continue;
            var (user, kernel) = (then.UserNs + then.EndedUserNs, then.KernelNs + then.EndedKernelNs);
            if (waited.TryGetValue(then.Parent, out var own))
                waited[then.Parent] = (own.User - user, own.Kernel - kernel);
            else // the parent ended too, and the process that adopted the child is unknown
                (orphanUser, orphanKernel) = (orphanUser + user, orphanKernel + kernel);
        }
        // The sum has no time of a child that nobody waited for, but this time is subtracted too. A result below 0 counts as 0.
        return (Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.User)) - orphanUser),
            Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.Kernel)) - orphanKernel));
    }

    private static ProcessClock Born(ProcessClock now) => new(now.StartTicks, 0, 0, 0, 0, 0);
}
