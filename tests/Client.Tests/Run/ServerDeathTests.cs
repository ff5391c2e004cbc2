using System.Diagnostics;
using IpcBench.Client.Tests.Cli;

namespace IpcBench.Client.Tests.Run;

public class ServerDeathTests
{
    [Fact]
    public async Task The_end_of_a_server_in_a_sampled_window_is_not_told_as_the_end_in_a_round()
    {
        await using var servers = await Typed.ServersAsync("--transports", "tcp", "-c", "1");
        servers.Enter(9);
        servers.EnterProfile();
        servers.Enter(2); // the number of the window
        using var server = Process.GetProcessById(servers.Owners.Values.SelectMany(owner => owner.Pids).Distinct().Single());
        server.Kill();

        var death = await servers.DeathAsync(failed: true);

        Assert.EndsWith(" while it was sampled (--profile), after all rounds, which are kept: it wrote nothing", death);
    }
}
