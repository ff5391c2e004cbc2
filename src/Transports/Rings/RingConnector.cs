using System.Globalization;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Rings;

/// <summary>
/// Makes the ends of a connection through shared memory: the client's end, for which a child is started, and the
/// child's end.
/// </summary>
public static class RingConnector
{
    /// <summary>
    /// Starts a child of the address, which opens the other end. The connection ends when the child ends.
    /// </summary>
    /// <exception cref="IOException">There is no memory, or no child can be started. The message says why.</exception>
    public static RingConnection Start(Address.Child address, RingWait wait) =>
        OperatingSystem.IsLinux() ? StartOnLinux(address, wait)
        : OperatingSystem.IsWindows() ? StartOnWindows(address, wait)
        : throw new CannotConnectException(address, "only Linux and Windows have shared memory here: use stdio");

    /// <summary>Opens the end of a child.</summary>
    /// <param name="inherited">What the client gave to the child (see <see cref="Children.Offer"/>).</param>
    /// <exception cref="IOException"><paramref name="inherited"/> is not the memory of a connection.</exception>
    public static RingConnection Open(string inherited, RingWait wait)
    {
        if (OperatingSystem.IsWindows())
            return new(RingMemory.Open(inherited), false, Named(inherited), wait, null);
        if (!OperatingSystem.IsLinux())
            throw new IOException("only Linux and Windows have shared memory here");
        int[] descriptors = [.. inherited.Split(',').Select(text => int.Parse(text, CultureInfo.InvariantCulture))];
        var memory = RingMemory.Open(descriptors[0]);
        (Doorbell, Doorbell) bells = descriptors is [_, var client, var child] ? (new EventFdBell(client), new EventFdBell(child))
            : OnWords(memory);
        return new(memory, false, bells, wait, null);
    }

    [SupportedOSPlatform("linux")]
    private static RingConnection StartOnLinux(Address.Child address, RingWait wait)
    {
        var (memory, descriptor) = RingMemory.Create();
        (Doorbell Client, Doorbell Child)? bells = null;
        try
        {
            bells = wait.Bell == RingBell.EventFd ? EventFdBell.CreatePair() : OnWords(memory);
            int[] bellsInherited = bells is (EventFdBell client, EventFdBell server) ? [client.Descriptor, server.Descriptor] : [];
            return new(memory, true, bells.Value, wait, Children.Start(address, [descriptor, .. bellsInherited]));
        }
        catch
        {
            bells?.Client.Dispose();
            bells?.Child.Dispose();
            memory.Dispose();
            throw;
        }
    }

    [SupportedOSPlatform("windows")]
    private static RingConnection StartOnWindows(Address.Child address, RingWait wait)
    {
        var name = "grpcbench-" + Guid.NewGuid().ToString("N");
        var memory = RingMemory.Create(name);
        var bells = Named(name);
        try
        {
            return new(memory, true, bells, wait, Children.Start(address, name));
        }
        catch
        {
            bells.Client.Dispose();
            bells.Child.Dispose();
            memory.Dispose();
            throw;
        }
    }

    [SupportedOSPlatform("linux")]
    internal static unsafe (Doorbell Client, Doorbell Child) OnWords(RingMemory memory) =>
        (new FutexBell(memory.SleeperOf(0)), new FutexBell(memory.SleeperOf(1)));

    [SupportedOSPlatform("windows")]
    private static (Doorbell Client, Doorbell Child) Named(string name) =>
        (new EventBell(name + "-client"), new EventBell(name + "-child"));
}
