using IpcBench.Server.Echo;
using IpcBench.Server.Tests.Support;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Tests;

public class StalledReaderTests
{
    [Fact]
    public async Task Only_a_client_whose_bytes_wait_too_long_is_disconnected()
    {
        var (connection, clock) = (new DefaultConnectionContext(), new Heartbeat());
        connection.Features.Set<IConnectionHeartbeatFeature>(clock);
        var watch = StalledReader.Watch(connection, TimeSpan.FromMilliseconds(1));
        await Task.Delay(20);
        clock.Beat();
        watch.Begin();
        watch.End();
        await Task.Delay(20);
        clock.Beat();
        Assert.False(connection.ConnectionClosed.IsCancellationRequested);
        watch.Begin();
        await Task.Delay(20);
        clock.Beat();
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (!connection.ConnectionClosed.IsCancellationRequested)
            await Task.Delay(5, limit.Token);
    }

    private sealed class Heartbeat : IConnectionHeartbeatFeature
    {
        private readonly List<(Action<object> Action, object State)> looks = [];

        public void OnHeartbeat(Action<object> action, object state) => looks.Add((action, state));

        public void Beat() => looks.ForEach(look => look.Action(look.State));
    }
}
