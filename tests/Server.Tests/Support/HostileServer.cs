using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>A server process under attack, which must serve an honest client during the attack.</summary>
public abstract class HostileServer(string sockets) : IAsyncLifetime
{
    // The most bytes that an attack may add to the working set: several times the observed growth. Without the server's limits each attack
    // needs gigabytes.
    private const long MostGrowth = 600L << 20;

    private static readonly TimeSpan Patience = Limits.Wait;

    private ServerChild? child;

    internal IReadOnlyList<Address> Addresses => child!.Addresses;

    /// <summary>The Unix socket, which is the fastest of the addresses.</summary>
    internal Address Target => Addresses[1];

    public string Sockets => sockets;

    public async ValueTask InitializeAsync()
    {
        if (!Engines.All.Contains(sockets))
            return;
        var pipe = Support.Addresses.Pipe();
        child = await ServerChild.StartAsync(
            "--stack", "built-in", "--listen", "http://localhost:0", "--listen", Support.Addresses.Unix().ToString(),
            "--listen", pipe.ToString(), "--listen", "https://localhost:0", "--sockets", sockets);
        using var client = new GrpcClient(Target);
        await client.DownloadAsync(1_000_000);
    }

    public ValueTask DisposeAsync() => child?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <summary>
    /// Runs the attack; meanwhile and afterwards the honest client gets every answer, and the server does not grow without bound.
    /// </summary>
    internal async Task SurviveAsync(Func<Task> attack)
    {
        SkipWhereItIsNot();
        using var honest = new GrpcClient(Addresses[0]);
        var before = (await honest.UsageAsync()).WorkingSetBytes;
        var attacking = Task.Run(attack);
        var served = 0;
        do
        {
            foreach (var size in (int[])[10, 100_000])
                Assert.Equal(size, (await honest.DownloadAsync(size).WaitAsync(Patience)).Length);
            var usage = await honest.UsageAsync().WaitAsync(Patience);
            Assert.InRange(usage.WorkingSetBytes - before, long.MinValue, MostGrowth);
            served++;
            await Task.Delay(20); // the attack needs the CPUs too
        }
        while (!attacking.IsCompleted);
        await attacking;
        Assert.True(served > 0);
        using var next = new GrpcClient(Target);
        Assert.Equal(10, (await next.DownloadAsync(10).WaitAsync(Patience)).Length);
        Assert.False(child!.HasEnded);
    }

    internal void SkipWhereItIsNot() => Assert.SkipWhen(child is null, "there is no epoll here");

    /// <summary>Reads the server's counters of the attacked endpoint.</summary>
    internal async Task<EndpointUsage> TargetUsageAsync()
    {
        using var client = new GrpcClient(Addresses[0]);
        return (await client.UsageAsync()).Endpoints[1];
    }

    /// <summary>Waits until the attacked endpoint meets the condition.</summary>
    internal async Task AwaitAsync(Func<EndpointUsage, bool> condition)
    {
        using var limit = new CancellationTokenSource(2 * Limits.Wait);
        while (!condition(await TargetUsageAsync()))
            await Task.Delay(50, limit.Token);
    }
}
