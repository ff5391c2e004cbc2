using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

[SupportedOSPlatform("linux")]
public class EventLoopTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public EventLoopTests()
    {
        if (!EventLoop.IsSupported)
            Assert.Skip("the event loop stands on epoll");
    }

    [Fact]
    public async Task Posted_actions_run_in_order_on_the_thread_of_the_loop()
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
    public async Task An_action_posted_while_the_loop_goes_to_sleep_is_not_lost()
    {
        using var loop = new EventLoop("test");
        await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
        {
            for (var i = 0; i < 3000; i++)
            {
                // The loop has nothing else to do: it sleeps again while its answer is on the way back.
                var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                loop.Post(static state => ((TaskCompletionSource)state!).SetResult(), done);
                await done.Task.WaitAsync(Patience);
            }
        })));
    }

    // A thread may wake a loop that has just ended. By then, the numbers of the loop's descriptors may belong to files.
    [Fact]
    public void Waking_an_ended_loop_writes_to_no_file()
    {
        var epoll = new EpollSet();
        epoll.Dispose();
        var folder = Directory.CreateTempSubdirectory("ipcbench-");
        var files = Enumerable.Range(0, 20).Select(number => File.Create(Path.Combine(folder.FullName, $"{number}"))).ToList();
        epoll.Wake();
        Assert.All(files, file => Assert.Equal(0, file.Length));
        files.ForEach(file => file.Dispose());
        folder.Delete(recursive: true);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Short_waits_last_their_full_length_and_an_event_ends_a_wait(bool hasFineWait)
    {
        const int waits = 100, lengthNs = 300_000;
        using var epoll = new EpollSet(hasFineWait);
        epoll.Wait(0);
        var began = MonotonicClock.NowNs;
        for (var wait = 0; wait < waits; wait++)
            epoll.Wait(lengthNs);
        Assert.InRange(MonotonicClock.NowNs - began, (long)waits * lengthNs, long.MaxValue);
        epoll.Wake();
        began = MonotonicClock.NowNs;
        epoll.Wait(60_000_000_000);
        Assert.InRange(MonotonicClock.NowNs - began, 0, 30_000_000_000);
    }

    [Fact]
    public async Task A_descriptor_that_cannot_be_watched_is_closed()
    {
        using var loop = new EventLoop("test");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}");
        // epoll watches no files (epoll_ctl(2), EPERM). The file is locked until its last descriptor is closed.
        var file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None);
        var descriptor = (int)file.DangerousGetHandle();
        file.SetHandleAsInvalid();
        Assert.Throws<IOException>(() => File.OpenHandle(path));
        var taken = new TaskCompletionSource<LoopSocket>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(_ =>
        {
            try
            {
                taken.SetResult(LoopSocket.Take(loop, descriptor, new Recorder()));
            }
            catch (IOException e)
            {
                taken.SetException(e);
            }
        }, null);
        await Assert.ThrowsAsync<IOException>(() => taken.Task.WaitAsync(Patience));
        File.OpenHandle(path).Dispose();
        File.Delete(path);
    }

    [Fact]
    public async Task A_cancelled_connect_continues_on_the_loops_thread()
    {
        using var loop = new EventLoop("test");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(0);
        // The accept queue is full from here on, so later connects wait.
        using var first = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await first.ConnectAsync(new UnixDomainSocketEndPoint(path));
        var connector = (await LoopConnector.ForAsync(new Address.Unix(path), new(), CancellationToken.None))!;
        var wasCurrent = new List<bool>();
        for (var i = 0; i < 500; i++)
        {
            using var cancel = new CancellationTokenSource();
            var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            loop.Post(async _ =>
            {
                var connecting = connector.ConnectAsync(loop, new Recorder(), cancel.Token).AsTask();
                begun.SetResult();
                await connecting.ContinueWith(
                    ended => wasCurrent.Add(ended.IsCanceled && loop.IsCurrent), CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
                done.SetResult();
            }, null);
            await begun.Task.WaitAsync(Patience);
            // The cancelling thread may still be notifying the loop when the loop has already seen the cancellation.
            cancel.Cancel();
            await done.Task.WaitAsync(Patience);
        }
        File.Delete(path);
        Assert.DoesNotContain(false, wasCurrent);
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
    public async Task A_full_socket_reports_when_it_has_room_again()
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
        var ended = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        await handler.Readable.Task.WaitAsync(Patience);
        loop.Post(_ => ended.SetResult(socket.Receive(buffer)), null);
        Assert.Equal(0, await ended.Task.WaitAsync(Patience));
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
        public TaskCompletionSource Readable { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnReadable() => Readable.TrySetResult();

        public void OnWritable() => Writable.TrySetResult();
    }

    [Fact]
    public async Task Bytes_arrive_although_the_prefetched_objects_of_a_socket_move()
    {
        using var loop = new EventLoop("test");
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var address = new Address.Tcp("127.0.0.1", ((IPEndPoint)listener.LocalEndPoint!).Port);
        var connector = (await LoopConnector.ForAsync(address, new(), CancellationToken.None))!;
        var reader = new ByteReader();
        var opened = new TaskCompletionSource<LoopSocket>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(async _ => opened.SetResult(reader.Socket = await connector.ConnectAsync(loop, reader, CancellationToken.None)), null);
        using var peer = await listener.AcceptAsync(TestContext.Current.CancellationToken);
        var socket = await opened.Task.WaitAsync(Patience);
        for (var i = 1; i <= 200; i++)
        {
            socket.NeededSoon = [new object(), "", new byte[i * 1000], reader];
            GC.Collect(0);
            peer.Send([(byte)i]);
            Assert.True(await reader.Came.WaitAsync(Patience, TestContext.Current.CancellationToken));
            Assert.Equal((byte)i, reader.Last);
        }
        loop.Post(_ => socket.Close(), null);
    }

    private sealed class ByteReader : ILoopHandler
    {
        public SemaphoreSlim Came { get; } = new(0);

        public LoopSocket? Socket { get; set; }

        public byte Last { get; private set; }

        public void OnReadable()
        {
            Span<byte> one = stackalloc byte[1];
            while (Socket!.Receive(one) > 0)
            {
                Last = one[0];
                Came.Release();
            }
        }

        public void OnWritable()
        {
        }
    }
}
