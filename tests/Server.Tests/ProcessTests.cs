using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class ProcessTests
{
    private const string NoAddress =
        "'{0}' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name";

    // A stopping server gives calls in flight one second. The calls of these tests take a minute.
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task The_server_prints_the_address_of_each_endpoint_and_then_a_line_with_ready()
    {
        var pipe = Addresses.Pipe();
        await using var child = await ServerChild.StartAsync(
            "--listen", "http://localhost:0", "--listen", "https://localhost:0", "--listen", pipe.ToString());
        Assert.Equal(4, child.Lines.Count);
        Assert.Matches(@"^listening on http://localhost:\d+ \(tcp\)$", child.Lines[0]);
        Assert.Matches(@"^listening on https://localhost:\d+ \(tls\)$", child.Lines[1]);
        var note = OperatingSystem.IsWindows() ? "" : ", Unix socket behind .NET's pipe API";
        Assert.Equal($"listening on {pipe} (pipe{note})", child.Lines[2]);
        Assert.Equal("GrpcBench server ready", child.Lines[3]);
        foreach (var address in child.Addresses)
        {
            using var client = new GrpcClient(address);
            Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        }
    }

    [Fact]
    public async Task The_output_is_UTF_8_in_every_locale()
    {
        // On Windows the console's code page would decide, and the path of temporary files contains the user's name.
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the paths are Linux's");
        var address = new Address.Unix(Path.Combine(Path.GetTempPath(), $"Jörg-{Guid.NewGuid():N}.sock"));
        await using var child = await ServerChild.StartInLocaleAsync("de_DE.ISO-8859-1", "--listen", address.ToString());
        Assert.Equal([address], child.Addresses);
        using var client = new GrpcClient(child.Addresses[0]);
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
    }

    public static MatrixTheoryData<string, string> SignalsAndSockets => new(["INT", "TERM"], Engines.All);

    [Theory]
    [MemberData(nameof(SignalsAndSockets))]
    public async Task A_signal_stops_the_server_soon_even_with_open_calls_and_connections(string signal, string sockets)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no signals to send on Windows");
        var address = Addresses.Unix();
        await using var child = await ServerChild.StartAsync(
            "--listen", address.ToString(), "--delay-us", "60000000", "--sockets", sockets);
        using var hanging = new GrpcClient(address);
        var call = hanging.DownloadAsync(10);
        await using var idle = await RawHttp2.ConnectAsync(address);
        await using var silent = await Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None);
        while ((await hanging.UsageAsync()).Endpoints[0].ConnectionsOpen < 3)
            await Task.Delay(10);
        await child.SignalAsync(signal);
        var (exitCode, took) = await child.EndAsync();
        Assert.Equal(0, exitCode);
        Assert.InRange(took, TimeSpan.Zero, StopLimit);
        Assert.False(File.Exists(address.Path));
        await Assert.ThrowsAnyAsync<Exception>(() => call);
    }

    [Fact]
    public async Task An_owned_server_ignores_SIGINT_and_stops_at_the_end_of_its_input()
    {
        var address = Addresses.Unix();
        await using var child = await ServerChild.StartAsync("--owned", "--listen", address.ToString());
        if (!OperatingSystem.IsWindows())
            await child.SignalAsync("INT");
        using var client = new GrpcClient(address);
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        await child.Input.WriteLineAsync("what is written there does not matter");
        await child.Input.FlushAsync();
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        child.Input.Close();
        var (exitCode, took) = await child.EndAsync();
        Assert.Equal(0, exitCode);
        Assert.InRange(took, TimeSpan.Zero, StopLimit);
        Assert.False(File.Exists(address.Path));
    }

    [Fact]
    public async Task A_server_without_an_owner_continues_when_its_standard_input_ends()
    {
        await using var child = await ServerChild.StartAsync("--listen", Addresses.Unix().ToString());
        child.Input.Close();
        using var client = new GrpcClient(child.Addresses[0]);
        await client.DownloadAsync(10);
        await Task.Delay(200);
        Assert.False(child.HasEnded);
    }

    [Fact]
    public async Task The_socket_file_of_a_killed_server_is_replaced_by_the_next_server()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "nothing is left behind on Windows");
        var (unix, pipe) = (Addresses.Unix(), Addresses.Pipe());
        // Kept until the end, because disposing of a killed server removes its files too.
        await using var killed = await ServerChild.StartAsync("--listen", unix.ToString(), "--listen", pipe.ToString());
        killed.Kill();
        Assert.True(File.Exists(unix.Path));
        await using var next = await ServerChild.StartAsync("--listen", unix.ToString(), "--listen", pipe.ToString());
        foreach (var address in (Address[])[unix, pipe])
        {
            using var client = new GrpcClient(address);
            Assert.Equal(10, (await client.DownloadAsync(10)).Length);
        }
    }

    [Fact]
    public async Task An_address_in_use_ends_the_server_with_exit_code_2()
    {
        await using var first = await ServerChild.StartAsync("--listen", "http://localhost:0", "--listen", Addresses.Unix().ToString());
        Assert.Equal(2, first.Addresses.Count);
        foreach (var address in first.Addresses)
        {
            var (exitCode, output, error) = await ServerChild.RunAsync("--listen", address.ToString());
            Assert.Equal((2, ""), (exitCode, output));
            Assert.Equal($"cannot listen on {address}: " + (address is Address.Unix
                ? "another server answers at this path: stop that server or choose another path with --listen"
                : "the port is in use by another program: stop that program or choose another port with --listen"), error.TrimEnd());
        }
    }

    [Theory]
    [InlineData("--listen")]
    [InlineData("--echo")]
    public async Task A_child_without_its_end_of_the_connection_ends_with_exit_code_2(string served)
    {
        var (exitCode, output, error) = await ServerChild.RunAsync("--owned", served, "shm:x", "--child", "shm:x");
        Assert.Equal(
            (2, "", "shm:x has no --child-end: only a client starts such a process"), (exitCode, output, error.TrimEnd()));
    }

    [Theory]
    [InlineData("--listen", "localhost", NoAddress)]
    [InlineData("--listen", "ftp://localhost:5000", NoAddress)]
    [InlineData("--max-size", "-1", "'{0}' is not a value for --max-size: write a number from 1 to 2147483392")]
    [InlineData("--max-size", "3GiB", "'{0}' is not a value for --max-size: write a number from 1 to 2147483392")]
    [InlineData("--backlog", "none", "'{0}' is not a value for --backlog: write a number from 1 to 1048576")]
    [InlineData("--http2-window", "1k", "'{0}' is not a value for --http2-window: write a number from 65535 to 1073741824")]
    [InlineData("--stack", "no-such-stack", "there is no stack '{0}': write STACKS")]
    [InlineData("--work", "x", "'{0}' is not a time of at most 1m for --work: write 30us, 1.5ms or, for the second endpoint alone, 1=30us")]
    [InlineData("--work", "x=30us", "--work '{0}': there is no endpoint x; the first endpoint is 0")]
    [InlineData("--work", "1=30us", "--work '{0}': there is no endpoint 1; the first endpoint is 0")]
    [InlineData("--fault", "wrong", "'{0}' is unknown: write short or status")]
    [InlineData("--delay-us", "-1", "'{0}' is not a number of microseconds: write 200 or, for the second endpoint alone, 1=200")]
    [InlineData("--sockets", "mine", "'{0}' is not a value for --sockets: write loop, dotnet or bare")]
    [InlineData("--listen", "http://localhost:5000/x", "'{0}' has more than a host and a port: write http://localhost:5000")]
    [InlineData("--no-such-option", "1", "there is no option --no-such-option")]
    [InlineData("--no-such-option=1", "--nagle", "there is no option --no-such-option")]
    [InlineData("-x", "1", "there is no option -x")]
    [InlineData("5000", "--nagle", "Unrecognized command or argument '5000'")]
    [InlineData("--nagle", "--backlog", "Required argument missing for option: '--backlog'")]
    public async Task A_wrong_option_ends_the_server_with_exit_code_1_and_a_message(string option, string value, string sentence)
    {
        // Some values are checked for an endpoint, so the server needs an endpoint to reject them.
        var listen = option is "--work" or "--fault" or "--delay-us" ? new[] { "--listen", Addresses.Unix().ToString() } : [];
        var (exitCode, output, error) = await ServerChild.RunAsync([option, value, .. listen]);
        Assert.Equal((1, ""), (exitCode, output));
        sentence = string.Format(sentence, value).Replace("STACKS", string.Join(" or ", Stacks.Names));
        Assert.Equal($"{sentence} (GrpcBenchServer --help)\n", error);
    }

    [Fact]
    public async Task Help_and_version_go_to_standard_output()
    {
        var help = await ServerChild.RunAsync("--help");
        Assert.Equal(0, help.ExitCode);
        Assert.Contains("--listen", help.Output);
        Assert.DoesNotContain("--delay-us", help.Output);
        var version = await ServerChild.RunAsync("--version");
        Assert.Equal(0, version.ExitCode);
        Assert.Matches(@"^\d+\.\d+\.\d+", version.Output);
    }
}
