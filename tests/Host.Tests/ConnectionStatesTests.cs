using System.Net;
using System.Net.Sockets;

namespace IpcBench.Host.Tests;

public sealed class ConnectionStatesTests : IDisposable
{
    private readonly string path = Path.Combine(Path.GetTempPath(), $"states-{Guid.NewGuid():N}.sock");
    private readonly List<Socket> sockets = [];

    [Theory]
    [InlineData("tcp")]
    [InlineData("tcp6")]
    [InlineData("unix")]
    public async Task Idle_and_active_and_unaccepted_connections_are_distinguished(string kind)
    {
        var (listener, address) = Listen(kind);
        var silent = Connect(listener);
        var unread = Connect(listener);
        Connect(listener, accept: false);
        Assert.Equal(new ConnectionTally(0, 2, 1, 0, 0), await SettledAsync(address, tally => tally.Idle == 2));
        unread.Client.Send("twelve bytes"u8);
        Assert.Equal(new ConnectionTally(1, 1, 1, 0, 0), await SettledAsync(address, tally => tally.Active == 1));
        unread.Server.Receive(new byte[100]);
        unread.Server.Send("back"u8);
        unread.Client.Receive(new byte[100]);
        Assert.Equal(new ConnectionTally(0, 2, 1, 0, 0), await SettledAsync(address, tally => tally.Idle == 2));
        Assert.True(silent.Client.Connected);
    }

    [Fact]
    public async Task A_TCP_connection_with_an_unanswered_request_is_active()
    {
        var (listener, address) = Listen("tcp");
        var (client, server) = Connect(listener);
        // The delay lets the kernel's clock distinguish the request from the start of the connection.
        await Task.Delay(50, TestContext.Current.CancellationToken);
        client.Send("request"u8);
        server.Receive(new byte[100]);
        await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.Equal(new ConnectionTally(1, 0, 0, 0, 0), await SettledAsync(address, tally => tally.Active == 1));
    }

    [Fact]
    public async Task Closing_and_TIME_WAIT_connections_are_counted_separately()
    {
        var (listener, address) = Listen("tcp");
        var (client, server) = Connect(listener);
        client.Shutdown(SocketShutdown.Both);
        Assert.Equal(new ConnectionTally(0, 0, 0, 1, 0), await SettledAsync(address, tally => tally.Closing == 1));
        server.Close();
        client.Close();
        Assert.Equal(new ConnectionTally(0, 0, 0, 0, 1), await SettledAsync(address, tally => tally.TimeWait == 1));
    }

    [Fact]
    public async Task Connections_of_other_endpoints_are_not_counted()
    {
        var (watched, address) = Listen("tcp");
        Connect(Listen("tcp").Listener);
        Connect(Listen("unix").Listener);
        Connect(watched);
        Assert.Equal(new ConnectionTally(0, 1, 0, 0, 0), await SettledAsync(address, tally => tally.Idle > 0));
    }

    public void Dispose()
    {
        sockets.ForEach(socket => socket.Dispose());
        File.Delete(path);
    }

    private (Socket Listener, LocalEndpoint Address) Listen(string kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads Linux's lists of sockets");
        EndPoint where = kind switch
        {
            "unix" => new UnixDomainSocketEndPoint(path),
            "tcp6" => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new IPEndPoint(IPAddress.Loopback, 0),
        };
        Assert.SkipUnless(kind != "tcp6" || Socket.OSSupportsIPv6, "no IPv6 here");
        while (true)
        {
            var listener = Keep(new Socket(where.AddressFamily, SocketType.Stream, ProtocolType.Unspecified));
            listener.Bind(where);
            listener.Listen(10);
            if (listener.LocalEndPoint is not IPEndPoint ip)
                return (listener, new LocalEndpoint.UnixName(path));
            // Connections of an earlier user of the port may still be in TIME_WAIT. Then the next port is tried.
            var address = new LocalEndpoint.TcpPort(ip.Port);
            using var states = ConnectionStates.Open([address]);
            Assert.NotNull(states);
            var former = new ConnectionTally[1];
            states.Read(former);
            if (former[0] == default)
                return (listener, address);
        }
    }

    private (Socket Client, Socket Server) Connect(Socket listener, bool accept = true)
    {
        var client = Keep(new Socket(listener.AddressFamily, SocketType.Stream, ProtocolType.Unspecified));
        client.Connect(listener.LocalEndPoint!);
        return (client, accept ? Keep(listener.Accept()) : client);
    }

    private Socket Keep(Socket socket)
    {
        sockets.Add(socket);
        return socket;
    }

    // Reads until the expected state is there, for at most 20 s: bytes that were just sent may still be in flight.
    private static async Task<ConnectionTally> SettledAsync(LocalEndpoint address, Func<ConnectionTally, bool> isThere)
    {
        using var states = ConnectionStates.Open([address]);
        Assert.NotNull(states);
        var tallies = new ConnectionTally[1];
        for (var i = 0; i < 1000; i++)
        {
            states.Read(tallies);
            if (isThere(tallies[0]))
                break;
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
        return tallies[0];
    }
}
