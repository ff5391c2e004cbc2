using System.Diagnostics;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Transports;
using Xunit.Sdk;

namespace IpcBench.Client.Tests.Engine.Support;

/// <summary>Runs the engine with a time limit on everything that can hang.</summary>
internal static class TestLoad
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static LoadOptions Options(
        Address address, int connections = 4, int streams = 1, int threads = 2, int size = 10,
        double timeout = 10, double connectDeadline = 10) => new()
        {
            Address = address,
            Connections = connections,
            Streams = streams,
            Threads = threads,
            Size = size,
            Timeout = TimeSpan.FromSeconds(timeout),
            ConnectDeadline = TimeSpan.FromSeconds(connectDeadline),
        };

    public static async Task<LoadGenerator> OpenAsync(LoadOptions options)
    {
        var source = await ProtocolTable.ConnectionsAsync(options, CancellationToken.None);
        return await LoadGenerator.OpenAsync(options, source, CancellationToken.None).WaitAsync(Patience);
    }

    public static async Task<LoadResult> RunAsync(LoadGenerator generator, LoadWindow window, CancellationToken cancellation = default)
    {
        var result = await generator.RunAsync(window, cancellation).WaitAsync(Patience, CancellationToken.None);
        Assert.Equal(result.Started, result.Ok + result.Failed.Values.Sum() + result.CutOff);
        Assert.Equal(result.Ok, result.Latency.Count);
        Assert.Equal(result.CutOff, result.CutOffLatency.Count);
        Assert.Equal(result.Ok, result.ThreadCalls.Sum());
        Assert.Equal(result.Completed, result.Buckets.Sum());
        return result;
    }

    /// <summary>Measures one cell in one window.</summary>
    public static async Task<LoadResult> MeasureAsync(LoadOptions options, LoadWindow window)
    {
        await using var generator = await OpenAsync(options);
        return await RunAsync(generator, window);
    }

    /// <summary>
    /// Repeats the attempt until it succeeds, for at most 30 s: a machine that stalls spoils some short windows, a fault spoils all.
    /// </summary>
    public static async Task InTheEndAsync(Func<Task> attempt)
    {
        for (var begun = Stopwatch.GetTimestamp(); ;)
        {
            try
            {
                await attempt();
                return;
            }
            catch (Exception e) when (e is (IAssertionException or KeyNotFoundException) and not SkipException
                && Stopwatch.GetElapsedTime(begun) < Patience)
            {
                // Try again.
            }
        }
    }

    public static async Task UntilAsync(Func<bool> isSo)
    {
        using var limit = new CancellationTokenSource(Patience);
        while (!isSo())
            await Task.Delay(5, limit.Token);
    }

    public static LoadWindow For(double seconds) => new() { Duration = TimeSpan.FromSeconds(seconds) };
}

/// <summary>A connection of no protocol that is open and does nothing. Tests override what they need.</summary>
internal abstract class FakeConnection : IConnection
{
    public abstract IReadOnlyList<IStream> Streams { get; }
    public virtual bool IsOpen => true;
    public virtual int Reopened => 0;
    public virtual long? StreamsAllowed => null;
    public virtual long? BytesReceived => null;
    public virtual BlockedTime? Blocked => null;

    public virtual Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;
    public virtual ValueTask DisposeAsync() => ValueTask.CompletedTask;

    public virtual void CutOff(long sentBeforeNs)
    {
    }

    public virtual void OnWindow()
    {
    }

    public virtual void SetAccepting(bool accepting)
    {
    }

    public virtual void Enter()
    {
    }

    public virtual void Leave()
    {
    }
}
