using System.Net;
using System.Net.Sockets;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class ListenTests
{
    [Fact]
    public void The_defaults_are_the_four_addresses_of_the_article() => Assert.Equal(
        ["http://localhost:5000", "https://localhost:5001", "unix:/tmp/greeter.sock", "pipe:/PipeGreeter"],
        new ServerOptions().Listen.Select(address => address.ToString()));

    [Fact]
    public async Task A_server_on_localhost_listens_on_both_loopback_addresses_with_one_port()
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Tcp);
        var address = Assert.IsType<Address.Tcp>(server.Address);
        Assert.Equal("localhost", address.Host);
        Assert.NotEqual(0, address.Port);
        foreach (var host in Socket.OSSupportsIPv6 ? new[] { "127.0.0.1", "::1" } : ["127.0.0.1"])
        {
            using var client = new GrpcClient(address with { Host = host });
            Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        }
    }

    [Fact]
    public async Task Only_an_address_beyond_loopback_gives_a_warning()
    {
        await using var local = await ServerUnderTest.StartAsync(
            Addresses.Tcp, new Address.Tcp("127.0.0.1", 0), new Address.Tls("::1", 0), Addresses.Unix());
        Assert.Empty(local.Warnings);
        await using var open = await ServerUnderTest.StartAsync(new Address.Tcp("0.0.0.0", 0));
        Assert.Equal(
            $"warning: {open.Address} can be reached from other machines, and this server has no access control", open.Warnings.TrimEnd());
    }

    [Fact]
    public async Task A_socket_file_is_private_and_removed_at_the_stop()
    {
        var address = Addresses.Unix();
        var pipe = Addresses.Pipe();
        await using (await ServerUnderTest.StartAsync(address, pipe))
        {
            Assert.True(File.Exists(address.Path));
            if (!OperatingSystem.IsWindows())
            {
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(address.Path));
                Assert.Equal(
                    UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(NamedPipeConnector.UnixSocketPath(pipe.Name)));
            }
        }
        Assert.False(File.Exists(address.Path));
        Assert.False(File.Exists(NamedPipeConnector.UnixSocketPath(pipe.Name)));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("unix-abstract")]
    [InlineData("pipe")]
    public async Task An_address_in_use_is_rejected_and_the_server_that_uses_the_address_continues(string kind)
    {
        Assert.SkipWhen(kind == "unix-abstract" && !OperatingSystem.IsLinux(), "only Linux has abstract sockets");
        await using var first = await ServerUnderTest.StartAsync(Addresses.Of(kind));
        var other = Addresses.Unix();
        var error = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(other, first.Address));
        Assert.Equal(Refusal(first.Address), error.Message);
        Assert.False(File.Exists(other.Path));
        using var client = new GrpcClient(first.Address);
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
    }

    [Fact]
    public async Task A_port_in_use_only_on_IPv6_is_rejected()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "no IPv6 here");
        using var taken = new TcpListener(IPAddress.IPv6Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;
        var error = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Tcp("localhost", port)));
        Assert.Equal(Refusal(new Address.Tcp("localhost", port)), error.Message);
    }

    [Fact]
    public async Task A_socket_file_that_nobody_serves_is_replaced()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a closed socket leaves no file on Windows here");
        var address = Addresses.Unix();
        LeaveStale(address.Path);
        await using var server = await ServerUnderTest.StartAsync(address);
        using var client = new GrpcClient(address);
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
    }

    [Fact]
    public async Task A_server_with_a_full_accept_queue_counts_as_alive()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "how a full queue answers is Linux's way");
        var address = Addresses.Unix();
        using var busy = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        busy.Bind(new UnixDomainSocketEndPoint(address.Path));
        busy.Listen(0);
        using var queued = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        queued.Connect(new UnixDomainSocketEndPoint(address.Path));
        var refused = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(address));
        Assert.Equal(
            $"cannot listen on {address}: another server answers at this path: stop that server or choose another path with --listen",
            refused.Message);
        Assert.True(File.Exists(address.Path));
    }

    [Theory]
    [InlineData("file")]
    [InlineData("folder")]
    [InlineData("link to a file")]
    [InlineData("link to nothing")]
    public async Task A_file_that_is_no_socket_is_never_deleted(string what)
    {
        var path = Addresses.Unix().Path;
        var target = path + ".target";
        if (what == "folder")
            Directory.CreateDirectory(path);
        else if (what == "file")
            File.WriteAllText(path, "precious");
        else
            File.CreateSymbolicLink(path, target);
        if (what == "link to a file")
            File.WriteAllText(target, "precious");
        try
        {
            var error = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Unix(path)));
            Assert.Equal($"cannot listen on unix:{path}: the file at this path is not a socket or belongs to another user: "
                + "remove the file or choose another path with --listen", error.Message);
            Assert.True(Path.Exists(path) || new FileInfo(path).LinkTarget == target);
            if (what is "file" or "link to a file")
                Assert.Equal("precious", File.ReadAllText(path));
        }
        finally
        {
            File.Delete(target);
            if (Directory.Exists(path))
                Directory.Delete(path);
            else
                File.Delete(path);
        }
    }

    [Fact]
    public async Task A_too_long_path_and_a_missing_folder_are_rejected_with_the_reason()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows makes the folder");
        var path = "/tmp/" + new string('x', 200);
        var tooLong = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Unix(path)));
        Assert.Equal($"cannot listen on unix:{path}: the path has 205 bytes, but the system limits the path of a Unix socket to about 100: "
            + "choose a shorter path", tooLong.Message);
        path = $"/tmp/{Guid.NewGuid():N}/a.sock";
        var nowhere = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Unix(path)));
        Assert.Equal(
            $"cannot listen on unix:{path}: the folder does not exist: create the folder or choose another path with "
                + "--listen", nowhere.Message);
    }

    [Theory]
    [InlineData("192.0.2.1", ":0: this machine does not have that address: use localhost or an address of this machine")]
    [InlineData("no-such-host.invalid", ":0: the name has no address: use localhost or an IP address of this machine")]
    public async Task An_address_of_another_machine_is_rejected_with_the_reason(string host, string why)
    {
        var error = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Tcp(host, 0)));
        Assert.Equal($"cannot listen on http://{host}{why}", error.Message);
    }

    [Fact]
    public async Task A_relative_socket_path_starts_at_the_current_folder()
    {
        var name = $"gb-{Guid.NewGuid():N}.sock";
        await using (var server = await ServerUnderTest.StartAsync(new Address.Unix(name)))
        {
            Assert.True(File.Exists(Path.Combine(Environment.CurrentDirectory, name)));
            using var client = new GrpcClient(server.Address);
            Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        }
        Assert.False(File.Exists(name));
    }

    private static string Refusal(Address served) => served switch
    {
        Address.Tcp => $"cannot listen on {served}: the port is in use by another program: stop that program or choose another port "
            + "with --listen",
        Address.UnixAbstract =>
            $"cannot listen on {served}: the name is in use by another program: stop that program or choose another name with --listen",
        Address.Pipe when OperatingSystem.IsWindows() =>
            $"cannot listen on {served}: another server answers at this name: stop that server or choose another name with --listen",
        _ => $"cannot listen on {served}: another server answers at this path: stop that server or choose another path with --listen",
    };

    private static void LeaveStale(string path)
    {
        // .NET removes the file under the name that was bound. So the socket is bound under another name, and the file is renamed.
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(path + ".0"));
        socket.Listen();
        File.Move(path + ".0", path);
    }
}
