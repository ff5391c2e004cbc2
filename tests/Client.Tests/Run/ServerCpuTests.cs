using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Cli;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks that the server's CPU time is read from the right process and agrees with the server's own report.</summary>
public class ServerCpuTests
{
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task The_CPU_time_read_for_the_server_process_agrees_with_the_report_of_the_server(string kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Windows' clock has steps of 15.6 ms");
        await using var servers = await Typed.ServersAsync("--transports", kind, "-c", "8");
        var (address, control) = Assert.Single(servers.Controls);
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(address, connections: 8));
        // On a busy machine, the server may compile code between its report and the edge of the window.
        await TestLoad.InTheEndAsync(async () =>
        {
            var before = await control.UsageAsync(TestContext.Current.CancellationToken);
            using var counters = new WindowCounters(Options("-c", "8"), control, servers.Owners[address], () => generator.SystemCalls);
            await counters.AskFirstAsync(TestContext.Current.CancellationToken);
            await generator.RunAsync(new LoadWindow { Calls = 20_000 }, TestContext.Current.CancellationToken, counters);
            await counters.AskLastAsync();
            var told = ServerUsage.Between(before, await control.UsageAsync(TestContext.Current.CancellationToken))!;
            var seen = counters.Server(20_000, 20_000)!;

            var (toldNs, seenNs) = (told.CpuUserNs + told.CpuKernelNs, seen.CpuUserNs + seen.CpuKernelNs);
            Assert.True(toldNs > 100_000_000, $"hardly a load: {toldNs} ns");
            // The report includes the cost of four requests. Each takes some tenths of a millisecond, and more on a busy machine.
            Assert.InRange(seenNs, 0.9 * toldNs - 20_000_000, 1.005 * toldNs);
            Assert.InRange(seen.CpuUserNs / (double)seenNs, told.CpuUserNs / (double)toldNs - 0.1, told.CpuUserNs / (double)toldNs + 0.1);
            Assert.Equal(20_000, seen.Calls);
            Assert.Equal(20_000, seen.CountedCalls);
            Assert.True(seen.AllocatedBytes > 0);
            Assert.InRange(seen.VoluntarySwitches!.Value, 1, seen.ContextSwitches);
            var loop = counters.Client(20_000).Loop!;
            // Each connection has one call in flight, so no call shares a send or a receive with another call.
            Assert.InRange(loop.Sends, 20_000, 20_000 + 100);
            Assert.InRange(loop.Receives, 20_000, 100_000);
            Assert.InRange(loop.EmptyReceives, 0, loop.Receives - 1);
            Assert.True(loop.Waits > 0);
        });
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_busy_program_is_counted_and_named_on_every_transport(string kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        // The shell ends, so the burner is no descendant of this process and counts as another program.
        using var parent = Process.Start(
            new ProcessStartInfo("/bin/sh", ["-c", "while :; do :; done & echo $!"]) { RedirectStandardOutput = true })!;
        var line = await parent.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        var id = int.Parse(line!, CultureInfo.InvariantCulture);
        await parent.WaitForExitAsync(TestContext.Current.CancellationToken);
        using var burner = Process.GetProcessById(id);
        try
        {
            await using var servers = await Typed.ServersAsync("--transports", kind, "-c", "8");
            var (address, control) = Assert.Single(servers.Controls);
            await using var generator = await TestLoad.OpenAsync(TestLoad.Options(address, connections: 8));
            using var counters = new WindowCounters(Options("-c", "8"), control, servers.Owners[address], () => generator.SystemCalls);
            await counters.AskFirstAsync(TestContext.Current.CancellationToken);
            var burnt = new Burnt(burner.Id, counters);
            // The window lasts until the burner has used enough CPU time, also on a busy machine.
            await generator.RunAsync(
                new LoadWindow { Duration = TimeSpan.FromSeconds(30) }, burnt.Enough(TestContext.Current.CancellationToken), burnt);
            await counters.AskLastAsync();

            var machine = counters.Machine!;
            // The burner's time is scaled to the window. On a busy machine the burner may have used more or less around the window.
            Assert.True(machine.OthersNs > burnt.Ns / 2, $"{machine.OthersNs} of {burnt.Ns} ns");
            // The burner is named unless three other programs were busier.
            var busier = machine.Busiest.Count(one => one.CpuNs > burnt.Ns / 2);
            Assert.True(machine.Busiest.Any(one => one.Pid == id) || busier == OtherUsage.Named,
                $"{burnt.Ns} ns of {id}: {string.Join(", ", machine.Busiest)}");
        }
        finally
        {
            burner.Kill();
        }
    }

    [Fact]
    public async Task The_readings_at_window_edges_are_repeated_until_the_JIT_warm_up_is_disposed()
    {
        await using var servers = await Typed.ServersAsync("--transports", "tcp", "-c", "8");
        var (address, control) = Assert.Single(servers.Controls);
        var times = 0;
        var often = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var counters = new WindowCounters(Options("-c", "8"), control, servers.Owners[address], () => null, begun: () =>
        {
            if (Interlocked.Increment(ref times) == 5)
                often.SetResult();
        });
        using (new JitWarmup(counters))
            await often.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        var atEnd = times;
        await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.Equal(atEnd, times);
    }

    /// <summary>Measures a process's CPU time between the edges of a window, and ends the window at 0.3 s.</summary>
    private sealed class Burnt(int process, IWindowEdges inner) : IWindowEdges
    {
        private long begin = long.MaxValue, end;

        public long Ns => end - begin;

        public void BeforeBegin() => inner.BeforeBegin();

        public void AfterEnd() => inner.AfterEnd();

        public void OnBegin()
        {
            inner.OnBegin();
            Volatile.Write(ref begin, ProcessClock.Read(process)!.CpuNs);
        }

        public void OnEnd()
        {
            end = ProcessClock.Read(process)!.CpuNs;
            inner.OnEnd();
        }

        public CancellationToken Enough(CancellationToken cancellation)
        {
            var source = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            _ = Task.Run(async () =>
            {
                while (ProcessClock.Read(process) is { } clock && clock.CpuNs - Volatile.Read(ref begin) < 300_000_000)
                    await Task.Delay(20, cancellation);
                await source.CancelAsync();
            }, cancellation);
            return source.Token;
        }
    }

    [Fact]
    public async Task After_a_restart_the_new_processes_of_the_servers_are_recorded_for_the_same_cells()
    {
        await using var servers = await Typed.ServersAsync(
            "--transports", "tcp,unix", "--aa", "-c", "4", "-s", "10", "--sockets", "dotnet");
        var plan = new BenchPlan(Options("--transports", "tcp,unix", "--aa", "-c", "4", "-s", "10"), servers.Targets);
        var former = Assert.Single(servers.Owners.Values.SelectMany(owner => owner.Pids).Distinct());
        var addresses = plan.Cells.Select(cell => servers.Now(cell).Load.Address).ToList();
        Assert.Equal(plan.Cells.Select(cell => cell.Load.Address), addresses);
        for (var start = 1; start <= 2; start++)
        {
            await servers.StartAnewAsync(TestContext.Current.CancellationToken);
            var next = Assert.Single(servers.Owners.Values.SelectMany(owner => owner.Pids).Distinct());
            Assert.NotEqual(former, next);
            Assert.Null(ProcessClock.Read(former));
            former = next;
            foreach (var cell in plan.Cells)
            {
                var now = servers.Now(cell);
                Assert.Equal(cell.Target.Address.Kind, now.Target.Address.Kind);
                Assert.Equal(now.Target.Address, now.Load.Address);
                await using var generator = await TestLoad.OpenAsync(now.Load);
                var result = await generator.RunAsync(new LoadWindow { Calls = 20 }, TestContext.Current.CancellationToken);
                Assert.Equal(20, result.Ok);
                Assert.NotNull(servers.Controls[now.Target.Address].Description);
            }
            // The reference and its double are different endpoints.
            Assert.Equal(3, plan.Cells.Select(cell => servers.Now(cell).Load.Address).Distinct().Count());
        }
    }

    [Fact]
    public async Task CPU_time_and_context_switches_of_a_foreign_server_are_read()
    {
        await using var server = await ForeignServer.PythonAsync("unix");
        await using var servers = await Typed.ServersAsync("-U", $"{server.Address}");
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 1, threads: 1));
        using var counters = new WindowCounters(
            Options("-c", "1"), servers.Controls[server.Address], servers.Owners[server.Address], () => generator.SystemCalls);
        await counters.AskFirstAsync(TestContext.Current.CancellationToken);
        await generator.RunAsync(new LoadWindow { Calls = 300 }, TestContext.Current.CancellationToken, counters);
        await counters.AskLastAsync();

        var seen = counters.Server(300, 300)!;
        Assert.True(seen.CpuUserNs + seen.CpuKernelNs > 3_000_000, $"300 calls of Python: {seen.CpuUserNs} + {seen.CpuKernelNs} ns");
        // One call at a time mostly wakes the server. On a busy machine the next call is there before the server sleeps.
        Assert.InRange(seen.VoluntarySwitches!.Value, 1, long.MaxValue);
        // The client also answers the PINGs of the server, which sends more of them on a slow machine.
        Assert.InRange(counters.Client(300).Loop!.Sends, 270, 600);
    }

    [Fact]
    public async Task CPU_time_of_a_process_that_a_users_server_forks_counts_in_the_next_slice()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        using var shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "read go; while :; do :; done & echo $!; wait"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        await using var servers = await Typed.ServersAsync("--transports", "tcp");
        using var counters = new WindowCounters(
            Options(), Assert.Single(servers.Controls).Value, new ServerOwner([shell.Id], IsOurs: true), () => null)
        { IsSlice = true };
        await counters.AskFirstAsync(TestContext.Current.CancellationToken);
        await shell.StandardInput.WriteLineAsync("go");
        var line = await shell.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        using var forked = Process.GetProcessById(int.Parse(line!, CultureInfo.InvariantCulture));
        try
        {
            counters.BeforeBegin();
            counters.OnBegin();
            var before = ProcessClock.Read(forked.Id)!.CpuNs;
            await TestLoad.UntilAsync(() => ProcessClock.Read(forked.Id)!.CpuNs - before > 100_000_000);
            counters.OnEnd();
            counters.AfterEnd();
            await counters.AskLastAsync();

            var seen = counters.Server(1, 1)!;
            Assert.InRange(seen.CpuUserNs + seen.CpuKernelNs, 100_000_000, long.MaxValue);
        }
        finally
        {
            forked.Kill();
            shell.Kill();
        }
    }

    [Fact]
    public async Task The_process_behind_an_address_is_found_automatically_and_named()
    {
        await using var server = await ForeignServer.PythonAsync("unix");
        await using var servers = await Typed.ServersAsync("-U", $"{server.Address}");

        Assert.Equal(server.Id, Assert.Single(servers.Owners[server.Address].Pids));
        var record = Assert.Single(ServerOwner.Records(servers.Owners));
        Assert.Equal((server.Id, "python3", ""), (record.Pid, record.Name[..7], record.Reason));
        Assert.Equal([$"{server.Address}"], record.Addresses);
    }

    [Fact]
    public async Task With_server_pids_none_no_process_is_read()
    {
        await using var server = await ForeignServer.PythonAsync("tcp");
        await using var servers = await Typed.ServersAsync("-U", $"{server.Address}", "--server-pids", "none");

        Assert.Empty(servers.Owners[server.Address].Pids);
        Assert.Empty(ServerOwner.Records(servers.Owners));
    }

    [Fact]
    public void No_process_is_read_for_a_server_on_another_machine()
    {
        // An address of TEST-NET-1 (RFC 5737), which no machine has.
        var there = Address.Parse("http://192.0.2.1:80");
        var owner = ServerOwner.For(there, Options("-U", $"{there}"));

        Assert.Equal("http://192.0.2.1:80 is not on this machine", owner.Reason);
        var record = Assert.Single(ServerOwner.Records(new Dictionary<Address, ServerOwner> { [there] = owner }));
        Assert.Equal((null, owner.Reason), (record.Pid, record.Reason));
    }

    [Fact]
    public void Processes_named_by_the_option_server_pids_are_used_without_a_search_for_the_listener() =>
        Assert.Equal([12, 34], ServerOwner.For(new Address.Unix("/tmp/x"), Options("-U", "unix:/tmp/x", "--server-pids", "12,34")).Pids);

    private static RunOptions Options(params string[] arguments) => Typed.Read(Preset.Main, arguments);
}
