using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

/// <summary>Checks how long the server waits for clients that do not read.</summary>
public class SlowReaderTests
{
    // The time-out of the server grows with the bytes in flight: small socket buffers and one reply keep the time-out short.
    [Fact]
    public Task Clients_that_never_read_or_never_open_a_window_are_disconnected() =>
        Task.WhenAll(Engines.All.Select(DisconnectedAsync)); // the time-outs run at the same time

    private static async Task DisconnectedAsync(string sockets)
    {
        await using var child = await ServerChild.StartAsync(
            "--stack", "built-in", "--socket-buffer", "8KiB", "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
        using var observer = new GrpcClient(child.Addresses[0]);
        var clients = await RawHttp2.AskWithoutReadingAsync(child.Addresses[0], connections: 2, size: 100_000, calls: 1);
        clients.Add(await RawHttp2.ConnectAsync(child.Addresses[0], initialWindow: 0));
        clients[^1].AddDownload(1, 1_000_000);
        await clients[^1].FlushAsync();
        using var limit = new CancellationTokenSource(2 * Limits.Wait);
        while ((await observer.UsageAsync()).Endpoints[0] is not { ConnectionsOpened: 4, ConnectionsOpen: 1 })
            await Task.Delay(50, limit.Token);
        foreach (var client in clients)
            await client.DisposeAsync();
    }
}
