using System.Diagnostics;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>The clocks of both sides and of the machine at one edge of a window.</summary>
/// <param name="Server">Null when the server's processes are unknown.</param>
internal sealed record EdgeClocks(Environment.ProcessCpuUsage Client, TreeReading? Server, MachineSnapshot? Machine)
{
    /// <summary>The monotonic clock.</summary>
    public long Timestamp { get; } = Stopwatch.GetTimestamp();

    /// <summary>
    /// Reads the clocks when a window begins, the client's clock last: to read the other clocks costs the client about
    /// 0.1 ms of CPU time, which must not count in the window. The system has all these clocks, so no other
    /// process must reply. May be called on any thread.
    /// </summary>
    /// <param name="server">The server's processes as they were last found.</param>
    public static EdgeClocks ReadAtBegin(ProcessTree? server)
    {
        var (machine, tree) = (MachineSnapshot.Take(), server?.Read());
        return new(Environment.CpuUsage, tree, machine);
    }

    /// <summary>Reads the clocks when a window ends, the client's clock first.</summary>
    /// <inheritdoc cref="ReadAtBegin" path="/param"/>
    public static EdgeClocks ReadAtEnd(ProcessTree? server) => new(Environment.CpuUsage, server?.Read(), MachineSnapshot.Take());
}
