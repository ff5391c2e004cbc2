using System.Diagnostics;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>The clocks of both sides and of the machine at one edge of a window.</summary>
internal sealed record EdgeClocks
{
    public required TimeSpan ClientUser { get; init; }
    public required TimeSpan ClientKernel { get; init; }

    /// <summary>Null when the server's processes are unknown.</summary>
    public required TreeReading? Server { get; init; }

    public required MachineSnapshot? Machine { get; init; }

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
        return From(Environment.CpuUsage, tree, machine);
    }

    /// <summary>Reads the clocks when a window ends, the client's clock first.</summary>
    /// <inheritdoc cref="ReadAtBegin" path="/param"/>
    public static EdgeClocks ReadAtEnd(ProcessTree? server)
    {
        var client = Environment.CpuUsage;
        return From(client, server?.Read(), MachineSnapshot.Take());
    }

    private static EdgeClocks From(Environment.ProcessCpuUsage client, TreeReading? server, MachineSnapshot? machine) => new()
    {
        ClientUser = client.UserTime,
        ClientKernel = client.PrivilegedTime,
        Server = server,
        Machine = machine,
    };
}
