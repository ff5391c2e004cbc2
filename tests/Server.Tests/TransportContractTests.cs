using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using IpcBench.Server.Tests.Support;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Tests;

/// <summary>Checks what Kestrel expects of a transport, for Kestrel's own transport and for the transport on event loops.</summary>
public sealed partial class TransportContractTests
{
    private const int Large = 64 << 20;

    public static TheoryData<string> Sockets => Support.Transports.Theory;

    public static TheoryData<string, bool> SocketsAndKinds =>
        [.. from sockets in Sockets.Select(row => row.Data) from overUnix in new[] { false, true } select (sockets, overUnix)];

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task A_client_that_writes_faster_than_the_server_reads_waits_and_loses_no_byte(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        await using var connection = await transport.AcceptAsync();
        var sent = 0L;
        var sending = Task.Run(async () =>
        {
            for (var piece = new byte[64 << 10]; sent < Large; Interlocked.Add(ref sent, piece.Length))
                await SendAllAsync(client, piece);
            client.Shutdown(SocketShutdown.Send);
        });
        Assert.InRange(await Limits.StalledAsync(() => Interlocked.Read(ref sent)), 1, Large - 1);
        Assert.Equal(Large, await CountAsync(connection));
        await sending.WaitAsync(Limits.Wait);
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task An_application_that_writes_faster_than_the_client_reads_waits_and_loses_no_byte(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        await using var connection = await transport.AcceptAsync();
        var written = 0L;
        var writing = Task.Run(async () =>
        {
            for (var piece = new byte[64 << 10]; written < Large; Interlocked.Add(ref written, piece.Length))
                Assert.False((await connection.Transport.Output.WriteAsync(piece)).IsCompleted);
            await connection.Transport.Output.CompleteAsync();
        });
        Assert.InRange(await Limits.StalledAsync(() => Interlocked.Read(ref written)), 1, Large - 1);
        Assert.Equal(Large, await CountAsync(client));
        await writing.WaitAsync(Limits.Wait);
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task An_abort_ends_the_read_with_the_reason_of_the_abort_and_disconnects_the_client(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        var reading = connection.Transport.Input.ReadAsync().AsTask();
        connection.Abort(new ConnectionAbortedException("the test aborts it"));
        var thrown = await Assert.ThrowsAsync<ConnectionAbortedException>(() => reading.WaitAsync(Limits.Wait));
        Assert.Equal("the test aborts it", thrown.Message);
        if (overUnix)
            Assert.Equal(0, await client.ReceiveAsync(new byte[1]).WaitAsync(Limits.Wait));
        else
            await Assert.ThrowsAsync<SocketException>(() => client.ReceiveAsync(new byte[1]).WaitAsync(Limits.Wait));
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(1, closed());
    }

    /// <summary>Kestrel aborts without a reason when a client has ended its side in good order.</summary>
    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task An_abort_without_a_reason_does_not_reset_the_connection(string sockets)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: false);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        client.Shutdown(SocketShutdown.Send);
        Assert.True((await connection.Transport.Input.ReadAsync().AsTask().WaitAsync(Limits.Wait)).IsCompleted);
        connection.Abort(null!);
        Assert.Equal(0, await client.ReceiveAsync(new byte[1]).WaitAsync(Limits.Wait));
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(1, closed());
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_reset_ends_the_read_with_a_ConnectionResetException(string sockets)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: false);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        var reading = connection.Transport.Input.ReadAsync().AsTask();
        Reset(client);
        await Assert.ThrowsAsync<ConnectionResetException>(() => reading.WaitAsync(Limits.Wait));
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(1, closed());
    }

    /// <summary>
    /// The kernel reports ECONNRESET once, to the send or to the receive. If the send gets the error, Kestrel's receive may see the end of
    /// the stream before the send has passed the error on. The read then ends without an exception.
    /// </summary>
    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_reset_ends_a_waiting_write_and_the_read(string sockets)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: false);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        var reading = connection.Transport.Input.ReadAsync().AsTask();
        var writing = connection.Transport.Output.WriteAsync(new byte[Large]).AsTask();
        Assert.False(writing.IsCompleted);
        Reset(client);
        await writing.WaitAsync(Limits.Wait);
        if (await Record.ExceptionAsync(() => reading.WaitAsync(Limits.Wait)) is { } thrown)
            Assert.IsType<ConnectionResetException>(thrown);
        else
            Assert.True((await reading).IsCompleted);
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(1, closed());
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task A_client_that_has_half_closed_still_gets_its_whole_answer(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        await SendAllAsync(client, new byte[1000]);
        client.Shutdown(SocketShutdown.Send);
        Assert.Equal(1000, await CountAsync(connection));
        var writing = connection.Transport.Output.WriteAsync(new byte[4 << 20]).AsTask();
        var reading = CountAsync(client);
        Assert.False((await writing.WaitAsync(Limits.Wait)).IsCompleted);
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(4 << 20, await reading);
        Assert.Equal(1, closed());
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task Bytes_written_before_the_application_ended_reach_a_slow_reader(string sockets, bool overUnix)
    {
        const int size = 16 << 20;
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var closed = CountClosed(connection);
        var writing = connection.Transport.Output.WriteAsync(new byte[size]).AsTask();
        await connection.Transport.Output.CompleteAsync();
        var ending = connection.DisposeAsync().AsTask();
        Assert.False(ending.IsCompleted);
        Assert.Equal(size, await CountAsync(client));
        await ending.WaitAsync(Limits.Wait);
        await writing.WaitAsync(Limits.Wait);
        Assert.Equal(1, closed());
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task An_output_that_is_completed_with_an_exception_resets_the_connection(string sockets)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: false);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        await connection.Transport.Output.WriteAsync(new byte[10]);
        await connection.Transport.Output.CompleteAsync(new IOException("the test breaks it"));
        await Assert.ThrowsAsync<SocketException>(() => CountAsync(client));
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task The_socket_of_a_closed_connection_is_disposed_and_its_end_points_are_still_known(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        var connection = await transport.AcceptAsync();
        var socket = connection.Features.Get<IConnectionSocketFeature>()!.Socket;
        Assert.Equal(client.RemoteEndPoint, socket.LocalEndPoint);
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        // The next connection gets the same descriptor. A Socket that is not disposed would use that connection.
        var next = await transport.ConnectAsync();
        var later = await transport.AcceptAsync();
        Assert.Throws<ObjectDisposedException>(() => socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Type));
        Assert.Equal(client.RemoteEndPoint, connection.LocalEndPoint);
        if (!overUnix)
            Assert.Equal(client.LocalEndPoint, connection.RemoteEndPoint);
        Assert.Equal(next.RemoteEndPoint, later.LocalEndPoint);
        await later.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
    }

    [Theory]
    [MemberData(nameof(SocketsAndKinds))]
    public async Task Bytes_after_an_urgent_byte_are_read_even_if_the_connection_is_accepted_later(string sockets, bool overUnix)
    {
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix);
        var client = await transport.ConnectAsync();
        await SendAllAsync(client, new byte[10]);
        try
        {
            client.Send([1], SocketFlags.OutOfBand);
        }
        catch (SocketException) when (overUnix)
        {
            // Unix sockets of this system have no urgent bytes. The other bytes are read all the same.
        }
        await SendAllAsync(client, new byte[20]);
        await using var connection = await transport.AcceptAsync();
        client.Shutdown(SocketShutdown.Send);
        Assert.InRange(await CountAsync(connection), 30, 31);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task Bytes_that_follow_a_sent_file_descriptor_are_read(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: true);
        var client = await transport.ConnectAsync();
        SendWithDescriptor(client, 10);
        await SendAllAsync(client, new byte[20]);
        await using var connection = await transport.AcceptAsync();
        var read = await connection.Transport.Input.ReadAtLeastAsync(30).AsTask().WaitAsync(Limits.Wait);
        Assert.Equal(30, read.Buffer.Length);
        connection.Transport.Input.AdvanceTo(read.Buffer.End);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_dual_stack_listener_accepts_IPv4_and_IPv6(string sockets)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "no IPv6 here");
        var factory = Support.Transports.Create(sockets);
        await using (var listener = await factory.BindAsync(new IPEndPoint(IPAddress.IPv6Any, 0)))
        {
            foreach (var host in new[] { IPAddress.Loopback, IPAddress.IPv6Loopback })
            {
                using var client = new Socket(host.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
                await client.ConnectAsync(host, ((IPEndPoint)listener.EndPoint).Port);
                await using var connection = (await listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait))!;
                Assert.Equal(host.MapToIPv6(), ((IPEndPoint)connection.RemoteEndPoint!).Address.MapToIPv6());
            }
        }
        (factory as IDisposable)?.Dispose();
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    [UnsupportedOSPlatform("windows")] // for the compiler: the test is skipped there
    public async Task The_mode_of_the_socket_file_follows_the_umask_and_clients_connect_after_a_change(string sockets)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no modes on Windows");
        var plain = Addresses.Unix().Path;
        using var other = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        other.Bind(new UnixDomainSocketEndPoint(plain));
        await using var transport = await BoundTransport.StartAsync(sockets, overUnix: true);
        var path = transport.Listener.EndPoint.ToString()!;
        Assert.Equal(File.GetUnixFileMode(plain), File.GetUnixFileMode(path));
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        await transport.ConnectAsync();
        await (await transport.AcceptAsync()).DisposeAsync();
        File.Delete(plain);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task Each_of_many_listeners_accepts_its_own_connections_and_ends_after_UnbindAsync(string sockets)
    {
        const int count = 50;
        var factory = Support.Transports.Create(sockets);
        var listeners = new List<IConnectionListener>();
        while (listeners.Count < count)
            listeners.Add(await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0)));
        foreach (var listener in listeners)
        {
            using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await client.ConnectAsync(listener.EndPoint);
            await using var connection = (await listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait))!;
            Assert.Equal(client.LocalEndPoint, connection.RemoteEndPoint);
        }
        var waiting = listeners.Select(listener => listener.AcceptAsync().AsTask()).ToList();
        foreach (var listener in listeners)
            await listener.UnbindAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.All(await Task.WhenAll(waiting).WaitAsync(Limits.Wait), Assert.Null);
        foreach (var listener in listeners)
            await listener.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        (factory as IDisposable)?.Dispose();
    }

    /// <summary>Counts how often the connection's ConnectionClosed fires.</summary>
    private static Func<int> CountClosed(ConnectionContext connection)
    {
        var count = 0;
        connection.ConnectionClosed.UnsafeRegister(_ => Interlocked.Increment(ref count), null);
        return () => Volatile.Read(ref count);
    }

    private static void Reset(Socket client)
    {
        client.LingerState = new LingerOption(true, 0);
        client.Close();
    }

    private static async Task SendAllAsync(Socket socket, ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
            bytes = bytes[await socket.SendAsync(bytes)..];
    }

    private static async Task<long> CountAsync(Socket socket)
    {
        var (all, buffer) = (0L, new byte[256 << 10]);
        for (int count; (count = await socket.ReceiveAsync(buffer).WaitAsync(Limits.Wait)) > 0;)
            all += count;
        return all;
    }

    private static async Task<long> CountAsync(ConnectionContext connection)
    {
        for (var all = 0L; ;)
        {
            var read = await connection.Transport.Input.ReadAsync().AsTask().WaitAsync(Limits.Wait);
            all += read.Buffer.Length;
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                return all;
        }
    }

    // struct msghdr with one struct iovec and a struct cmsghdr of SCM_RIGHTS, as 64-bit Linux has them.
    private static void SendWithDescriptor(Socket socket, int count)
    {
        const int segment = 64, control = 96, data = 160, rights = 1, socketLevel = 1, controlLength = 20;
        var message = Marshal.AllocHGlobal(data + count);
        try
        {
            Marshal.Copy(new byte[data + count], 0, message, data + count);
            Marshal.WriteIntPtr(message, 16, message + segment);
            Marshal.WriteIntPtr(message, 24, 1);
            Marshal.WriteIntPtr(message, 32, message + control);
            Marshal.WriteIntPtr(message, 40, 24);
            Marshal.WriteIntPtr(message, segment, message + data);
            Marshal.WriteIntPtr(message, segment + 8, count);
            Marshal.WriteIntPtr(message, control, controlLength);
            Marshal.WriteInt32(message, control + 8, socketLevel);
            Marshal.WriteInt32(message, control + 12, rights);
            Marshal.WriteInt32(message, control + 16, (int)socket.Handle);
            Assert.Equal(count, sendmsg((int)socket.Handle, message, 0));
        }
        finally
        {
            Marshal.FreeHGlobal(message);
        }
    }

    [LibraryImport("libc")]
    private static partial nint sendmsg(int socket, nint message, int flags);
}
