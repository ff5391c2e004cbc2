using System.Diagnostics;
using System.Runtime;

namespace IpcBench.Host;

/// <summary>
/// The resources that this process has used since its start. The difference of two snapshots is the usage between them.
/// </summary>
public sealed record ProcessSnapshot
{
    /// <summary>When the snapshot was taken, as a <see cref="Stopwatch.GetTimestamp"/>.</summary>
    public required long Timestamp { get; init; }

    public required TimeSpan User { get; init; }
    public required TimeSpan Kernel { get; init; }
    public required long WorkingSetBytes { get; init; }
    public required IReadOnlyList<long> GcCollections { get; init; }
    public required TimeSpan GcPause { get; init; }
    public required long AllocatedBytes { get; init; }
    public required ContextSwitches Switches { get; init; }

    /// <summary>Methods compiled so far by all threads. A method counts again for each later tier.</summary>
    public required long MethodsCompiled { get; init; }

    /// <summary>Takes a snapshot. This takes about a tenth of a millisecond, so call it outside measured time.</summary>
    public static ProcessSnapshot Take()
    {
        // The slow readings come before the CPU time, so that a measurement that starts here does not include their cost.
        var workingSet = Environment.WorkingSet;
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var switches = ContextSwitches.Own();
        var cpu = Environment.CpuUsage;
        return new ProcessSnapshot
        {
            Timestamp = Stopwatch.GetTimestamp(),
            User = cpu.UserTime,
            Kernel = cpu.PrivilegedTime,
            WorkingSetBytes = workingSet,
            GcCollections = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)],
            GcPause = GC.GetTotalPauseDuration(),
            AllocatedBytes = allocated,
            Switches = switches,
            MethodsCompiled = JitInfo.GetCompiledMethodCount(currentThread: false),
        };
    }
}
