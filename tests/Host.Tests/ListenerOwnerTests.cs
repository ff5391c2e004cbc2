using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace IpcBench.Host.Tests;

public sealed class ListenerOwnerTests : IDisposable
{
    // Listens on the path and on a TCP port, passes both sockets on to a child, and prints the port.
    private const string Listener = """
        import os, socket, sys, time
        a = socket.socket(socket.AF_UNIX); a.bind(sys.argv[1] if sys.argv[1][0] != "@" else "\0" + sys.argv[1][1:]); a.listen(5)
        b = socket.socket(socket.AF_INET6 if sys.argv[2] == "6" else socket.AF_INET)
        b.bind((sys.argv[3], 0)); b.listen(5)
        if os.fork() == 0: time.sleep(60); os._exit(0)
        print(b.getsockname()[1]); time.sleep(60)
        """;

    private readonly string path = Path.Combine(Path.GetTempPath(), $"owner-{Guid.NewGuid():N}.sock");

    [Theory]
    [InlineData("4", "127.0.0.1", "127.0.0.1")]
    [InlineData("4", "127.0.0.1", null)]
    [InlineData("4", "0.0.0.0", "127.0.0.1")]
    [InlineData("6", "::", "127.0.0.1")]
    [InlineData("6", "::1", "::1")]
    public async Task The_listener_on_a_port_is_the_process_that_listens_and_not_a_child_process(string family, string bind, string? asked)
    {
        Assert.SkipUnless(family == "4" || Socket.OSSupportsIPv6, "no IPv6 here");
        using var child = Child.Python(Listener, path, family, bind);
        var port = int.Parse(await child.LineAsync(), CultureInfo.InvariantCulture);

        var found = ListenerOwner.Find(new LocalEndpoint.TcpPort(port, asked is null ? null : IPAddress.Parse(asked)));

        Assert.Equal(new ListenerOwner(child.Id, ""), found);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_process_that_listens_on_a_Unix_socket_is_found(bool isAbstract)
    {
        var name = isAbstract ? "@" + Path.GetFileName(path) : path;
        using var child = Child.Python(Listener, name, "4", "127.0.0.1");
        await child.LineAsync();

        var found = ListenerOwner.Find(new LocalEndpoint.UnixName(isAbstract ? "\0" + name[1..] : name));

        Assert.Equal(new ListenerOwner(child.Id, ""), found);
    }

    [Fact]
    public async Task The_background_process_of_a_server_that_forked_after_listen_is_identified()
    {
        // As nginx does: the process that called listen(2) has ended.
        using var child = Child.Python("""
            import os, socket, sys, time
            a = socket.socket(socket.AF_UNIX); a.bind(sys.argv[1]); a.listen(5)
            first = os.fork()
            if first == 0: time.sleep(0.1)
            else: print(first); os._exit(0)
            time.sleep(60)
            """, path);
        var background = int.Parse(await child.LineAsync(), CultureInfo.InvariantCulture);
        await child.EndedAsync();
        try
        {
            Assert.Equal(new ListenerOwner(background, ""), ListenerOwner.Find(new LocalEndpoint.UnixName(path)));
        }
        finally
        {
            System.Diagnostics.Process.GetProcessById(background).Kill();
        }
    }

    private const string NoServer = ": its CPU time is not a server's";

    [Theory]
    [InlineData("systemd", "systemd listens and starts servers on demand" + NoServer)]
    [InlineData("docker-proxy", "docker-proxy listens and forwards connections to a container" + NoServer)]
    [InlineData("nginx", "")]
    public void A_program_that_listens_for_other_programs_is_rejected(string name, string expected)
    {
        var judged = ListenerOwner.Judge(78, [60, 77], name);

        Assert.Equal(expected.Length == 0 ? 78 : null, judged.Pid);
        Assert.Equal(expected, judged.Reason);
    }

    [Fact]
    public async Task The_CPU_clock_of_the_listening_process_can_be_read()
    {
        using var child = Child.Python(Listener, path, "4", "127.0.0.1");
        await child.LineAsync();

        Assert.True(ProcessClock.Read(ListenerOwner.Find(new LocalEndpoint.UnixName(path)).Pid!.Value)!.CpuNs > 0);
    }

    [Fact]
    public async Task A_full_accept_queue_is_reported_without_a_wait()
    {
        using var child = Child.Python("""
            import socket, sys, time
            a = socket.socket(socket.AF_UNIX); a.bind(sys.argv[1]); a.listen(0); print("ready"); time.sleep(60)
            """, path);
        await child.LineAsync();
        using var first = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await first.ConnectAsync(new UnixDomainSocketEndPoint(path), TestContext.Current.CancellationToken);

        var found = await Task.Run(() => ListenerOwner.Find(new LocalEndpoint.UnixName(path))).WaitAsync(TimeSpan.FromSeconds(20));

        Assert.Equal($"the accept queue of {path} is full, so the process that listens cannot be found", found.Reason);
    }

    [Fact]
    public void If_no_process_listens_the_owner_is_unknown_and_the_reason_is_given()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux' sentences");
        using var closed = new Socket(SocketType.Stream, ProtocolType.Tcp);
        closed.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var port = ((IPEndPoint)closed.LocalEndPoint!).Port;

        Assert.Equal($"no process listens on TCP port {port} here", ListenerOwner.Find(new LocalEndpoint.TcpPort(port)).Reason);
        Assert.Equal($"no process that listens at {path} was found: there is no such file",
            ListenerOwner.Find(new LocalEndpoint.UnixName(path)).Reason);
        Assert.Equal("this system has no named pipes of Windows", ListenerOwner.Find(new LocalEndpoint.WindowsPipe("x")).Reason);
    }

    [Fact]
    public void A_listener_in_this_process_itself_is_not_accepted_as_the_server()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();

        var found = ListenerOwner.Find(new LocalEndpoint.TcpPort(((IPEndPoint)listener.LocalEndPoint!).Port));

        Assert.Equal(new ListenerOwner(null, "this tool itself listens"), found);
    }

    [Theory]
    [InlineData(1, "process 1 listens (an init that starts servers on demand, or a whole container)" + NoServer)]
    [InlineData(77, "process 77 listens and is an ancestor of this tool: its CPU time would include this tool's")]
    [InlineData(78, "")]
    public void Process_1_and_the_ancestors_of_this_process_are_rejected_as_servers(int pid, string expected)
    {
        var judged = ListenerOwner.Judge(pid, [60, 77]);

        Assert.Equal(expected.Length == 0 ? pid : null, judged.Pid);
        Assert.Equal(expected, judged.Reason);
    }

    [Theory]
    [InlineData(true, 5, 5)]        // nginx as another user sees it: the workers, but not the master, which belongs to root
    [InlineData(false, 5, null)]
    [InlineData(true, 1, null)]
    public void The_parent_of_workers_that_share_a_socket_is_its_owner_even_if_the_parent_is_hidden(bool hidden, int parent, int? expected)
    {
        var found = ListenerOwner.Choose([11, 12], pid => pid is 11 or 12 ? parent : null, hidden);

        Assert.Equal(expected, found.Pid);
        Assert.Equal(expected is null ? "several processes listen at this address (11, 12)" : "", found.Reason);
    }

    [Fact]
    public void A_process_without_an_id_is_rejected() => Assert.Equal(
        OperatingSystem.IsWindows()
            ? "the system does not tell which process listens"
            : "the process that listens is outside of this process's pid namespace (in another container)",
        ListenerOwner.Judge(0, []).Reason);

    [Fact]
    public void The_parent_of_this_process_is_known_and_a_missing_process_has_no_parent()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no parents here");
        var parentOf = ProcessTree.ParentFinder();

        var parent = parentOf(Environment.ProcessId);

        Assert.NotNull(parent);
        Assert.NotEqual(Environment.ProcessId, parent);
        if (OperatingSystem.IsLinux())
            Assert.Contains($"PPid:\t{parent}", File.ReadAllLines("/proc/self/status"));
        Assert.Null(parentOf(int.MaxValue));
    }

    public void Dispose() => File.Delete(path);
}
