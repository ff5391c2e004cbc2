using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public sealed class ServerKeeperTests
{
    [Fact]
    public async Task A_process_that_has_the_number_of_a_server_by_now_lives()
    {
        using var server = Sleeping();
        using var another = Sleeping();
        var told = string.Create(CultureInfo.InvariantCulture,
            $"+{server.Id} {StartOf(server)}\n+{another.Id} {StartOf(another) - 1}\n");

        await ServerKeeper.RunAsync(new StringReader(told));

        Assert.True(server.WaitForExit(TimeSpan.FromSeconds(20)));
        Assert.False(another.HasExited);
        another.Kill();

        static long StartOf(Process process) => ProcessClock.Read(process.Id)!.StartTicks;
    }

    [Fact]
    public async Task A_server_that_ended_in_time_is_not_remembered()
    {
        using var server = Sleeping();
        var start = ProcessClock.Read(server.Id)!.StartTicks;
        await ServerKeeper.RunAsync(new StringReader(string.Create(CultureInfo.InvariantCulture, $"+{server.Id} {start}\n-{server.Id}\n")));
        Assert.False(server.HasExited);
        server.Kill();
    }

    [Fact]
    public async Task A_server_that_no_keeper_takes_is_ended()
    {
        var command = new Sleeper();
        var keeper = ServerKeeper.Start();
        keeper.Dispose();
        await Assert.ThrowsAnyAsync<InvalidOperationException>(
            () => ChildServer.StartAsync(command, TestContext.Current.CancellationToken, keeper: keeper));
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
