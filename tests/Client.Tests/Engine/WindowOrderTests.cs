using System.Collections.Concurrent;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine;

public class WindowOrderTests
{
    [Fact]
    public async Task A_command_to_end_a_window_never_reaches_the_next_window()
    {
        await using var connection = new SlowToEnd();
        var options = new EngineOptions
        {
            Address = Address.Parse("pipe:/none"),
            Size = 1,
            Connections = 1,
            Threads = 1,
        };
        await using var generator = await LoadGenerator.OpenAsync(
            options, new ConnectionSource(_ => connection, UsesLoops: false, () => 0), CancellationToken.None);

        for (var i = 0; i < 3; i++)
            await generator.RunAsync(new LoadWindow { Duration = TimeSpan.FromMilliseconds(60) }, CancellationToken.None)
                .WaitAsync(TimeSpan.FromSeconds(20), CancellationToken.None);

        Assert.Equal(3, connection.Log.Count(line => line == "begin"));
        Assert.True(connection.Ends > 0);
        foreach (var (line, next) in connection.Log.Zip(connection.Log.Skip(1)))
            Assert.False(line == "ending" && next == "begin", string.Join(", ", connection.Log));
    }

    /// <summary>A connection whose only call lasts beyond the window, and which handles the end of the window slowly.</summary>
    private sealed class SlowToEnd : FakeConnection, IStream
    {
        private readonly TaskCompletionSource never = new();

        public ConcurrentQueue<string> Log { get; } = new();

        public int Ends => Log.Count(line => line == "ended");

        public override IReadOnlyList<IStream> Streams => [this];

        public ValueTask<bool> ReadyAsync() => new(true);

        public async ValueTask<CallResult> CallAsync(long sentNs)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(80), CancellationToken.None);
            return CallResult.Ok(0);
        }

        public override void SetAccepting(bool accepting)
        {
            if (accepting)
            {
                Log.Enqueue("begin");
                return;
            }
            Log.Enqueue("ending");
            never.Task.Wait(TimeSpan.FromMilliseconds(300));
            Log.Enqueue("ended");
        }
    }
}
