using System.Collections.Concurrent;
using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine;

public class WindowOrderTests
{
    [Fact]
    public async Task An_order_to_end_a_window_never_reaches_the_next_one()
    {
        var factory = new SlowToEnd();
        var options = new LoadOptions { Address = Address.Parse("pipe:/none"), Size = 1, Connections = 1, Threads = 1, Timeout = TimeSpan.FromMilliseconds(50) };
        await using var generator = await LaneGenerator.OpenAsync(options, factory, CancellationToken.None);

        for (var i = 0; i < 3; i++)
            await generator.RunAsync(new LoadWindow { Duration = TimeSpan.FromMilliseconds(60) }, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(20), CancellationToken.None);

        Assert.Equal(3, factory.Log.Count(line => line == "begin"));
        Assert.True(factory.Ends > 0);
        foreach (var (line, next) in factory.Log.Zip(factory.Log.Skip(1)))
            Assert.False(line == "ending" && next == "begin", string.Join(", ", factory.Log));
    }

    /// <summary>A connection whose only call takes until the window is over, and that is slow to hear that it is.</summary>
    private sealed class SlowToEnd : IConnectionFactory, IConnection, IStream
    {
        private readonly TaskCompletionSource never = new();

        public ConcurrentQueue<string> Log { get; } = new();

        public int Ends => Log.Count(line => line == "ended");

        public long ConnectRetries => 0;

        public bool UsesLoops => false;

        public IReadOnlyList<IStream> Streams => [this];

        public bool IsOpen => true;

        public int Reopened => 0;

        public long? StreamsAllowed => null;

        public IConnection Create(Scheduler scheduler) => this;

        public Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;

        public ValueTask<bool> ReadyAsync() => new(true);

        public async ValueTask<CallResult> CallAsync(long sentNs)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(80), CancellationToken.None);
            return CallResult.Ok;
        }

        public void SetAccepting(bool value)
        {
            if (value)
            {
                Log.Enqueue("begin");
                return;
            }
            Log.Enqueue("ending");
            never.Task.Wait(TimeSpan.FromMilliseconds(300));
            Log.Enqueue("ended");
        }

        public void CutOff(long sentBeforeNs)
        {
        }

        public void Enter()
        {
        }

        public void Leave()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
