using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

/// <summary>Checks which server may create the file of a Unix socket, and which may remove it.</summary>
public sealed class SocketFileTests : IDisposable
{
    private const int Nobody = 65_534;

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("gb-");

    private string SocketPath => Path.Combine(this.folder.FullName, "s");

    public void Dispose() => this.folder.Delete(recursive: true);

    [Theory]
    [InlineData("unix", false)]
    [InlineData("unix", true)]
    [InlineData("pipe", false)]
    [InlineData("pipe", true)]
    public async Task A_stopping_server_keeps_the_socket_file_of_a_later_server(string kind, bool isEcho)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "elsewhere .NET removes the file by its name");
        var pipe = Addresses.Pipe();
        Address address = kind == "pipe" ? pipe : new Address.Unix(SocketPath);
        var path = kind == "pipe" ? NamedPipeConnector.UnixSocketPath(pipe.Name) : SocketPath;
        var options = isEcho ? new ServerOptions { Listen = [], Echo = [address] } : new ServerOptions { Listen = [address] };
        await using var first = await ServerUnderTest.StartAsync(options);
        File.Delete(path);
        await using (await ServerUnderTest.StartAsync(options))
        {
            await first.DisposeAsync();
            Assert.True(File.Exists(path));
            await using var connected = await Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None);
        }
        Assert.False(File.Exists(path));
    }

    [Fact]
    public async Task A_stopping_server_keeps_a_file_that_replaced_its_socket_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "elsewhere .NET removes the file by its name");
        await using (await ServerUnderTest.StartAsync(new Address.Unix(SocketPath)))
        {
            File.Delete(SocketPath);
            await File.WriteAllTextAsync(SocketPath, "precious");
        }
        Assert.Equal("precious", await File.ReadAllTextAsync(SocketPath));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Only_one_server_listens_if_several_start_at_once_on_one_path(bool isStale)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the lock is Linux's");
        const int servers = 4, rounds = 100;
        var judged = 0;
        for (var round = 0; round < rounds; round++)
        {
            if (isStale)
                LeaveStale(SocketPath);
            var bound = new ConcurrentBag<ServerEndpoint>();
            var refusals = new ConcurrentBag<string>();
            using var start = new Barrier(servers);
            var threads = Enumerable.Range(0, servers).Select(_ => new Thread(() =>
            {
                start.SignalAndWait();
                try
                {
                    bound.Add(EndpointBinder.Bind(
                        new EndpointRole(IsEcho: false, EndpointBehavior.None), new Address.Unix(SocketPath), new ServerOptions()));
                }
                catch (Exception e)
                {
                    refusals.Add(e.Message);
                }
            })).ToList();
            var begun = Stopwatch.GetTimestamp();
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => thread.Join());
            // A server waits for the lock for only 1 s, and a busy machine may stop the thread that holds the lock for longer.
            var isInTime = Stopwatch.GetElapsedTime(begun) < TimeSpan.FromSeconds(1);
            var isServed = SocketFile.Probe(SocketPath, new UnixDomainSocketEndPoint(SocketPath)) == SocketFileState.Live;
            foreach (var endpoint in bound)
                endpoint.Dispose();
            if (!isInTime)
            {
                File.Delete(SocketPath);
                continue;
            }
            judged++;
            Assert.Equal((1, true), (bound.Count, isServed));
            var sentence =
                $"cannot listen on unix:{SocketPath}: another server answers at this path: stop that server or choose another path "
                    + "with --listen";
            Assert.All(refusals, refusal => Assert.Equal(sentence, refusal));
            Assert.Empty(this.folder.GetFileSystemInfos());
        }
        Assert.True(judged > 0);
    }

    [Fact]
    public void A_non_blocking_connect_distinguishes_a_stale_and_a_served_socket()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells a socket that its datagram was refused");
        // On Windows a Unix socket is refused after connect has returned. UDP brings a Linux socket into that state.
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var served = new Socket(SocketType.Stream, ProtocolType.Tcp);
        served.Connect(listener.LocalEndpoint);
        Assert.Equal(SocketFileState.Live, SocketFile.Outcome(served, Limits.Wait));
        using var nobody = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        nobody.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var refused = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        refused.Connect(nobody.LocalEndPoint!);
        nobody.Dispose();
        refused.Send([1]);
        Assert.True(refused.Poll(Limits.Wait, SelectMode.SelectError));
        Assert.Equal(SocketFileState.Stale, SocketFile.Outcome(refused, Limits.Wait));
    }

    [Fact]
    public async Task A_server_starts_although_another_program_locks_its_folder()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the lock is Linux's");
        using var holder = Process.Start(new ProcessStartInfo("flock", [this.folder.FullName, "-c", "echo locked; cat"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        Assert.Equal("locked", await holder.StandardOutput.ReadLineAsync().WaitAsync(Limits.Wait));
        await using var server = await ServerUnderTest.StartAsync(new Address.Unix(SocketPath));
        using var client = new GrpcClient(server.Address);
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        holder.StandardInput.Close();
        await holder.WaitForExitAsync().WaitAsync(Limits.Wait);
    }

    [Fact]
    public async Task A_stale_socket_that_this_user_may_not_remove_is_reported()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "whose a file is, is said Linux's way");
        LeaveStale(SocketPath);
        const UnixFileMode all = (UnixFileMode)0x1FF;
        SetMode(SocketPath, all);
        string error;
        if (Environment.IsPrivilegedProcess)
        {
            // This folder is like /tmp: the file belongs to root, and the server is another user's.
            SetMode(this.folder.FullName, all | UnixFileMode.StickyBit);
            var run = await ServerChild.RunAsAsync(Nobody, "--listen", "unix:" + SocketPath);
            Assert.SkipWhen(run is null, "another user cannot read this folder");
            Assert.Equal((2, ""), (run.Value.ExitCode, run.Value.Output));
            error = run.Value.Error.TrimEnd();
        }
        else
        {
            SetMode(this.folder.FullName, UnixFileMode.UserRead | UnixFileMode.UserExecute);
            var refusal = await Assert.ThrowsAsync<CannotListenException>(() => ServerUnderTest.StartAsync(new Address.Unix(SocketPath)));
            error = refusal.Message;
            SetMode(this.folder.FullName, all);
        }
        Assert.Equal(
            $"cannot listen on unix:{SocketPath}: the socket file of a server that has ended is at this path, and this user may not "
                + "remove the file: "
            + "let the owner remove the file, or choose another path with --listen", error);
        Assert.True(File.Exists(SocketPath));
    }

    private static void SetMode(string path, UnixFileMode mode)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, mode);
    }

    private static void LeaveStale(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(path + ".0"));
        socket.Listen();
        // .NET removes the file under the name that was bound.
        File.Move(path + ".0", path);
    }
}
