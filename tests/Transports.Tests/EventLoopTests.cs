using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

[SupportedOSPlatform("linux")]
public class EventLoopTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    public EventLoopTests()
    {
        if (!EventLoop.IsSupported)
            Assert.Skip("the event loop stands on epoll");
    }

    [Fact]
    public async Task Posts_run_in_order_on_the_loops_thread()
    {
        using var loop = new EventLoop("test");
        var seen = new List<int>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        for (var i = 0; i < 1000; i++)
            loop.Post(state => { Assert.True(loop.IsCurrent); seen.Add((int)state!); }, i);
        loop.Post(_ => done.SetResult(), null);
        await done.Task.WaitAsync(Patience);
        Assert.Equal(Enumerable.Range(0, 1000), seen);
        Assert.False(loop.IsCurrent);
    }

    [Fact]
    public async Task Timers_are_called_in_order_and_not_early()
    {
        using var loop = new EventLoop("test");
        var seen = new List<(long Due, long At)>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        void Note(long due)
        {
            seen.Add((due, MonotonicClock.NowNs));
            if (seen.Count == 4)
                done.SetResult();
        }

        loop.Post(_ =>
        {
            var now = MonotonicClock.NowNs;
            foreach (var ms in new[] { 30, 10, 20, 0 })
                loop.Schedule(now + ms * 1_000_000, new Timer(Note, now + ms * 1_000_000));
        }, null);
        await done.Task.WaitAsync(Patience);
        Assert.Equal(seen.OrderBy(item => item.Due), seen);
        Assert.All(seen, item => Assert.True(item.At >= item.Due));
    }

    [Fact]
    public async Task A_socket_that_cannot_take_more_says_so_and_tells_when_it_can()
    {
        using var loop = new EventLoop("test");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(1);
        var connector = (await LoopConnector.ForAsync(new Address.Unix(path), new(), CancellationToken.None))!;
        var handler = new Recorder();
        var opened = new TaskCompletionSource<LoopSocket>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(async _ => opened.SetResult(await connector.ConnectAsync(loop, handler, CancellationToken.None)), null);
        var socket = await opened.Task.WaitAsync(Patience);
        using var peer = await listener.AcceptAsync();
        var full = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(_ => full.SetResult(Fill(socket)), null);
        var sent = await full.Task.WaitAsync(Patience);
        var buffer = new byte[64 * 1024];
        for (long taken = 0; taken < sent;)
            taken += await peer.ReceiveAsync(buffer).WaitAsync(Patience);
        await handler.Writable.Task.WaitAsync(Patience);
        peer.Shutdown(SocketShutdown.Both);
        Assert.True(await handler.HungUp.Task.WaitAsync(Patience));
        loop.Post(_ => socket.Close(), null);
        File.Delete(path);
    }

    private static long Fill(LoopSocket socket)
    {
        long sent = 0;
        int result;
        while ((result = socket.Send(new byte[64 * 1024])) > 0)
            sent += result;
        Assert.Equal(LoopSocket.WouldBlock, result);
        Assert.Equal(LoopSocket.WouldBlock, socket.Receive(new byte[10]));
        socket.WantWritable();
        return sent;
    }

    private sealed class Timer(Action<long> call, long due) : ILoopTimer
    {
        public void OnDue() => call(due);
    }

    private sealed class Recorder : ILoopHandler
    {
        public TaskCompletionSource Writable { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
        public TaskCompletionSource<bool> HungUp { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnReadable(bool hangUp)
        {
            if (hangUp)
                HungUp.TrySetResult(true);
        }

        public void OnWritable() => Writable.TrySetResult();
    }
}
