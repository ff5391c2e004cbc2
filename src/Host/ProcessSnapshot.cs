using System.Diagnostics;
using System.Runtime;

namespace IpcBench.Host;

/// <summary>What this process has used since it started; two of them make the usage between.</summary>
public sealed record ProcessSnapshot
{
    /// <summary>When it was taken: <see cref="Stopwatch.GetTimestamp"/>.</summary>
    public required long Timestamp { get; init; }

    public required TimeSpan User { get; init; }
    public required TimeSpan Kernel { get; init; }
    public required long WorkingSetBytes { get; init; }
    public required IReadOnlyList<long> GcCollections { get; init; }
    public required TimeSpan GcPause { get; init; }
    public required long AllocatedBytes { get; init; }
    public required ContextSwitches Switches { get; init; }

    /// <summary>Methods compiled so far, by every thread; a later tier of the same method counts again.</summary>
    public required long MethodsCompiled { get; init; }

    /// <summary>Costs about a tenth of a millisecond: take it outside the window.</summary>
    public static ProcessSnapshot Take()
    {
        // CPU last: what the other readings cost then falls before a window that starts here.
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
