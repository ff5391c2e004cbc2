using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>A reaper kills all servers that this process has marked, so no other test may start such servers meanwhile.</summary>
[Collection("marked servers")]
public sealed class ProcessReaperTests
{
    [Fact]
    public async Task A_new_process_with_the_id_of_an_ended_server_is_not_killed()
    {
        using var server = Sleeping();
        using var another = Sleeping();
        var told = string.Create(CultureInfo.InvariantCulture,
            $"+{server.Id} {StartOf(server)}\n+{another.Id} {StartOf(another) - 1}\n");

        await ProcessReaper.RunAsync(new StringReader(told));

        Assert.True(server.WaitForExit(TimeSpan.FromSeconds(20)));
        Assert.False(another.HasExited);
        another.Kill();

        static long StartOf(Process process) => ProcessClock.Read(process.Id)!.StartTicks;
    }

    [Fact]
    public async Task A_server_that_ended_in_time_is_not_killed()
    {
        using var server = Sleeping();
        var start = ProcessClock.Read(server.Id)!.StartTicks;
        await ProcessReaper.RunAsync(new StringReader(
            string.Create(CultureInfo.InvariantCulture, $"+{server.Id} {start}\n-{server.Id}\n")));
        Assert.False(server.HasExited);
        server.Kill();
    }

    [Fact]
    public async Task A_started_server_is_ended_if_the_reaper_no_longer_runs()
    {
        var command = new Sleeper();
        var reaper = ProcessReaper.Start();
        reaper.Dispose();
        await Assert.ThrowsAnyAsync<InvalidOperationException>(
            () => ChildServer.StartAsync(command, TestContext.Current.CancellationToken, reaper: reaper));
        Assert.NotEqual(0, command.Id); // it was started
        Assert.NotEqual("sleep", ProcessTree.NameOf(command.Id));
    }

    private static Process Sleeping()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        return Process.Start("sleep", "1000");
    }

    private sealed class Sleeper : IServerCommand
    {
        public int Id { get; private set; }

        public IReadOnlyList<Address> Addresses => [];

        public Address Probe { get; } = Address.Parse("unix:/no/such/socket");

        public string Name => "the server";

        public Process Start()
        {
            Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
            var process = Process.Start(new ProcessStartInfo("sleep", "1000")
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            })!;
            Id = process.Id;
            return process;
        }
    }
}
