using System.Globalization;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Server.Options;
using IpcBench.Transports;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Server.Tests;

/// <summary>Checks the process of a child, in this process.</summary>
[SupportedOSPlatform("linux")]
public class ChildLifetimeTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_child_sets_the_buffers_of_its_end_of_a_socketpair_and_ends_with_the_connection(bool isEcho)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        const int size = 40_000;
        var address = new Address.Child(Address.Child.SocketPair, "x");
        var (ours, theirs) = Descriptor.MakePair();
        // A second descriptor of the child's end: the child closes its own.
        int seen;
        using (var own = new SafeFileHandle(theirs, ownsHandle: false))
            seen = Descriptor.Duplicate(own);
        using var end = new Socket(new SafeSocketHandle(seen, ownsHandle: true));
        using var client = new Socket(new SafeSocketHandle(ours, ownsHandle: true));
        var serving = ChildLifetime.RunAsync(address, new ServerOptions
        {
            Listen = isEcho ? [] : [address],
            Echo = isEcho ? [address] : [],
            Child = address,
            ChildEnd = theirs.ToString(CultureInfo.InvariantCulture),
            SocketBuffer = size,
            Owned = true,
        });
        Assert.Equal((2 * size, 2 * size), (end.ReceiveBufferSize, end.SendBufferSize)); // Linux doubles the size: socket(7)
        client.Shutdown(SocketShutdown.Both);
        Assert.Equal(0, await serving.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
    }
}
