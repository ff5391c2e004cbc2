using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Client.Dialing;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Dialing;

[SupportedOSPlatform("linux")]
public sealed partial class SocketDuplexTests : IDisposable
{
    private const int MostReadsAtOnce = 8;

    private readonly EventLoop? loop;

    public SocketDuplexTests()
    {
        Assert.SkipUnless(EventLoop.IsSupported, "the event loop stands on epoll");
        loop = new EventLoop("test");
    }

    public void Dispose() => loop?.Dispose();

    /// <summary>
    /// A receive ends at each descriptor that was sent with a byte, so the duplex makes all reads that it may make in a
    /// row. epoll reports the end together with the first bytes, and not again.
    /// </summary>
    [Fact]
    public async Task The_end_of_a_connection_is_noticed_even_if_many_short_reads_come_first()
    {
        var (ours, theirs) = Pair();
        using var client = ours;
        using (theirs)
        {
            for (var sent = 0; sent < MostReadsAtOnce; sent++)
                SendWithDescriptor(theirs);
            Assert.Equal(1, theirs.Send(new byte[1]));
        }
        var owner = new Owner();
        Take(client, owner);
        Assert.Null(await owner.Ended.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken));
        Assert.Equal(MostReadsAtOnce + 1, owner.Bytes);
    }

    /// <summary>A datagram that is too long stands for any error that only a send reports, such as ENOBUFS.</summary>
    [Fact]
    public async Task A_failed_send_ends_the_duplex_with_the_systems_reason()
    {
        const int tooLong = 70_000;
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.Connect(other.LocalEndPoint!);
        var owner = new Owner();
        var output = new OutputBuffer(new BufferPool());
        output.GetSpan(tooLong)[..tooLong].Clear();
        output.Advance(tooLong);
        Take(client, owner, duplex => duplex.Flush(output));
        Assert.Equal("Message too long", await owner.Ended.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken));
        Assert.True(output.IsEmpty);
    }

    private void Take(Socket connected, Owner owner, Action<Duplex>? then = null) => loop!.Post(_ =>
    {
        connected.Blocking = false;
        var duplex = new SocketDuplex(owner);
        duplex.Attach(LoopSocket.Adopt(loop, connected, duplex));
        then?.Invoke(duplex);
    }, null);

    private static (Socket Ours, Socket Theirs) Pair()
    {
        var path = Path.Combine(Path.GetTempPath(), $"duplex-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen();
        var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Connect(new UnixDomainSocketEndPoint(path));
        var accepted = listener.Accept();
        File.Delete(path);
        return (client, accepted);
    }

    // Sends one byte with a descriptor in a struct cmsghdr of SCM_RIGHTS, in the layout of 64-bit Linux.
    private static void SendWithDescriptor(Socket socket)
    {
        const int segment = 64, control = 96, data = 160, rights = 1, socketLevel = 1, controlLength = 20;
        var message = Marshal.AllocHGlobal(data + 1);
        try
        {
            Marshal.Copy(new byte[data + 1], 0, message, data + 1);
            Marshal.WriteIntPtr(message, 16, message + segment);
            Marshal.WriteIntPtr(message, 24, 1);
            Marshal.WriteIntPtr(message, 32, message + control);
            Marshal.WriteIntPtr(message, 40, 24);
            Marshal.WriteIntPtr(message, segment, message + data);
            Marshal.WriteIntPtr(message, segment + 8, 1);
            Marshal.WriteIntPtr(message, control, controlLength);
            Marshal.WriteInt32(message, control + 8, socketLevel);
            Marshal.WriteInt32(message, control + 12, rights);
            Marshal.WriteInt32(message, control + 16, 0); // standard input
            Assert.Equal(1, sendmsg((int)socket.Handle, message, 0));
        }
        finally
        {
            Marshal.FreeHGlobal(message);
        }
    }

    [LibraryImport("libc")]
    private static partial nint sendmsg(int socket, nint message, int flags);

    private sealed class Owner : IDuplexOwner
    {
        private readonly TaskCompletionSource<string?> ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Bytes { get; private set; }

        public Task<string?> Ended => ended.Task;

        public void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes) => Bytes += bytes.Length;

        public void OnRoom(Duplex duplex)
        {
        }

        public void OnEnd(Duplex duplex, string? fault)
        {
            duplex.Close();
            ended.TrySetResult(fault);
        }
    }
}
