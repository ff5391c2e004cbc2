using System.Diagnostics;
using System.Globalization;
using System.Runtime.Versioning;

namespace IpcBench.Transports;

/// <summary>Starts the children of each address, and lists the running children.</summary>
public static class Children
{
    private static readonly Lock Gate = new();
    private static readonly Dictionary<Address, Func<string?, Process>> Offered = [];
    private static readonly List<ChildProgram> All = [];

    /// <summary>Registers the function that starts the children of an address.</summary>
    /// <param name="start">
    /// Starts a child with redirected standard streams. Its argument says where the child finds its end of the
    /// connection. For a socketpair: the descriptor, which the child inherits under the same number. For shared memory
    /// on Linux: the descriptor of the memory, with eventfd(2) also the two descriptors on which the client and the
    /// child sleep. For shared memory on Windows: the name of the memory. For stdio: null.
    /// </param>
    public static void Offer(Address.Child address, Func<string?, Process> start)
    {
        lock (Gate)
            Offered[address] = start;
    }

    /// <summary>Returns the ids of the children that serve the address now.</summary>
    public static IReadOnlyList<int> Running(Address address)
    {
        lock (Gate)
            return [.. All.Where(one => one.Address == address && one.IsServing).Select(one => one.Id)];
    }

    /// <summary>
    /// Finds a child of these addresses that ended its connection before the client did. Waits a moment for the
    /// child's exit code.
    /// </summary>
    /// <returns>
    /// The kind of the child's address, its exit code (null while the child runs) and its last output on standard
    /// error. Null when there is no such child.
    /// </returns>
    public static (string Kind, int? ExitCode, string Words)? Dead(IEnumerable<Address> addresses)
    {
        ChildProgram? dead;
        lock (Gate)
            dead = All.Find(one => one.HasEndedFirst && addresses.Contains(one.Address));
        return dead is null ? null : (dead.Address.Kind, dead.ExitCode(), dead.Words());
    }

    /// <summary>Ends all children of these addresses, and forgets the addresses.</summary>
    public static async Task EndAsync(IEnumerable<Address> addresses)
    {
        List<ChildProgram> ended;
        lock (Gate)
        {
            ended = All.FindAll(one => addresses.Contains(one.Address));
            All.RemoveAll(ended.Contains);
            foreach (var address in addresses)
                Offered.Remove(address);
        }
        await Task.WhenAll(ended.Select(one => one.EndAsync()));
    }

    /// <exception cref="IOException">No child can be started, or an earlier child has ended too early.</exception>
    internal static ChildProgram Start(Address.Child address) => Start(address, start =>
        address.Transport != Address.Child.SocketPair ? new ChildProgram(address, start(null), -1)
            : OperatingSystem.IsLinux() ? StartWithPair(address, start)
            : throw new CannotConnectException(address, "only Linux has socketpair here: use stdio"));

    /// <summary>Starts a child that opens shared memory by this name.</summary>
    /// <inheritdoc cref="Start(Address.Child)" path="/exception"/>
    internal static ChildProgram Start(Address.Child address, string name) =>
        Start(address, start => new ChildProgram(address, start(name), -1));

    /// <summary>Starts a child that inherits these descriptors. No other child inherits them.</summary>
    /// <inheritdoc cref="Start(Address.Child)" path="/exception"/>
    [SupportedOSPlatform("linux")]
    internal static ChildProgram Start(Address.Child address, IReadOnlyList<int> inherited) => Start(address, start =>
    {
        foreach (var one in inherited)
            Descriptor.Inherit(one, true);
        try
        {
            return new ChildProgram(address, start(string.Join(',', inherited)), -1);
        }
        finally
        {
            foreach (var one in inherited)
                Descriptor.Inherit(one, false);
        }
    });

    private static ChildProgram Start(Address.Child address, Func<Func<string?, Process>, ChildProgram> open)
    {
        // When a child has ended too early, no new child is started. The new child would probably end in the same way,
        // and each new connection would start one more.
        if (Dead([address]) is not null)
            throw new CannotConnectException(address, "a child has ended");
        // Only one child is started at a time. Otherwise a second child would inherit the first child's end of the
        // socketpair, and nobody would notice when the first child ends.
        lock (Gate)
        {
            var child = open(Offered.TryGetValue(address, out var start) ? start
                : throw new CannotConnectException(address, "no program serves it"));
            All.Add(child);
            return child;
        }
    }

    [SupportedOSPlatform("linux")]
    private static ChildProgram StartWithPair(Address.Child address, Func<string?, Process> start)
    {
        int ours, theirs;
        try
        {
            (ours, theirs) = Descriptor.MakePair();
        }
        catch (IOException e)
        {
            throw new CannotConnectException(address, e.Message);
        }
        try
        {
            return new ChildProgram(address, start(theirs.ToString(CultureInfo.InvariantCulture)), ours);
        }
        catch
        {
            Native.Close(ours);
            throw;
        }
        finally
        {
            Native.Close(theirs);
        }
    }

    /// <summary>Forgets a child that the client has ended.</summary>
    internal static void Forget(ChildProgram child)
    {
        lock (Gate)
            All.Remove(child);
    }
}
