using System.Globalization;
using System.IO.Pipelines;
using System.Runtime.Versioning;
using IpcBench.Transports.Rings;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Transports.Tests;

/// <summary>Checks both ends of shared memory in one process, each with a mapping of its own.</summary>
[SupportedOSPlatform("linux")]
public sealed class RingTests : IDisposable
{
    private const int Period = 65_521;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly byte[] pattern = new byte[Period];
    private readonly Random random = new(38);
    private readonly List<IDisposable> open = [];

    public RingTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "maps the memory of a descriptor twice");
        random.NextBytes(pattern);
    }

    public void Dispose() => open.ForEach(one => one.Dispose());

    public static TheoryData<string> Waits => [.. RingWait.Values];

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task A_million_messages_of_random_sizes_come_back_byte_for_byte(string wait)
    {
        // The messages of all ways of waiting together. IPCBENCH_DRAWS=all sends ten times as many.
        var all = Environment.GetEnvironmentVariable("IPCBENCH_DRAWS") == "all" ? 10_000_000 : 1_000_000;
        var count = all / RingWait.Values.Count;
        var (client, child) = Pair(wait);
        var echo = Task.Factory.StartNew(() => Echo(child), TaskCreationOptions.LongRunning);
        await Task.Factory.StartNew(() => SendAndCompare(client, count), TaskCreationOptions.LongRunning).WaitAsync(Patience);
        child.Stop();
        await echo.WaitAsync(Patience);
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Stopping_one_side_of_the_ring_ends_the_wait_of_this_side(string wait)
    {
        var (client, _) = Pair(wait);
        var waiting = Task.Factory.StartNew(() => client.Wait(), TaskCreationOptions.LongRunning);
        await Task.WhenAny(waiting, Task.Delay(50, TestContext.Current.CancellationToken));
        Assert.False(waiting.IsCompleted);
        client.Stop();
        Assert.False(await waiting.WaitAsync(Patience));
        Assert.False(client.Wait());
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Room_in_the_ring_ends_the_wait_of_a_sender_until_the_sender_has_taken_the_room(string wait)
    {
        var (client, child) = Pair(wait);
        var all = new byte[RingMemory.Capacity + 1];
        var waiting = Task.CompletedTask;
        for (var time = 0; time < 2; time++)
        {
            Assert.Equal(RingMemory.Capacity, client.Send(all));
            waiting = Task.Factory.StartNew(() => client.Wait(), TaskCreationOptions.LongRunning);
            await Task.WhenAny(waiting, Task.Delay(50, TestContext.Current.CancellationToken));
            Assert.False(waiting.IsCompleted);
            Assert.Equal(RingMemory.Capacity, child.Receive(all));
            await waiting.WaitAsync(Patience);
        }
        Assert.Equal(1, client.Send(new byte[1]));
        Assert.True(client.TakeRoom()); // a complete send takes no room: others may wait for the room
        Assert.False(client.TakeRoom());
        waiting = Task.Factory.StartNew(() => client.Wait(), TaskCreationOptions.LongRunning);
        await Task.WhenAny(waiting, Task.Delay(50, TestContext.Current.CancellationToken));
        Assert.False(waiting.IsCompleted); // nothing is left to send, so room is no reason to end the wait
        client.Stop();
        await waiting.WaitAsync(Patience);
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Pipes_over_the_ring_carry_more_than_the_ring_holds_in_both_directions_at_once_and_then_end(string wait)
    {
        const int size = 10 * RingMemory.Capacity;
        var (client, child) = Pair(wait);
        open.Clear(); // the pipes give the memory back when their threads have ended
        var ends = new[] { client, child }.Select(
            one => ThreadPipes.Start(new RingChannel(one), "test", PipeScheduler.ThreadPool, () => { })).ToList();
        await Task.WhenAll(ends.SelectMany(one => new[] { WriteAsync(one.Output), ReadAsync(one.Input) })).WaitAsync(Patience);
        await ends[0].Output.CompleteAsync();
        await ends[0].Sent.WaitAsync(Patience);
        child.Stop();
        var end = await ends[1].Input.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Patience);
        Assert.True(end.IsCompleted);
        await ends[1].Output.WriteAsync(pattern, TestContext.Current.CancellationToken); // drops the bytes, as nobody reads them
        await ends[1].Sent.WaitAsync(Patience);
        await ends[1].Output.CompleteAsync();

        async Task WriteAsync(PipeWriter writer)
        {
            for (var sent = 0; sent < size; sent += Period)
                await writer.WriteAsync(pattern.AsMemory(0, Math.Min(Period, size - sent)));
        }

        async Task ReadAsync(PipeReader reader)
        {
            for (var received = 0L; received < size;)
            {
                var read = await reader.ReadAsync();
                foreach (var part in read.Buffer)
                {
                    Compare(part.Span, received);
                    received += part.Length;
                }
                reader.AdvanceTo(read.Buffer.End);
            }
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_sender_that_waits_for_room_goes_on_or_ends_even_if_nobody_reads_the_pipes_any_more(bool goesOn)
    {
        const int size = 2 * RingMemory.Capacity;
        var (client, child) = Pair("futex");
        open.Remove(client); // the pipes give the memory back
        var pipes = ThreadPipes.Start(new RingChannel(client), "test", PipeScheduler.ThreadPool, () => { });
        await pipes.Input.CompleteAsync();
        child.Send(new byte[1]);
        await Task.Delay(50, TestContext.Current.CancellationToken); // the receiving thread notices that nobody reads
        var writing = pipes.Output.WriteAsync(new byte[size], TestContext.Current.CancellationToken).AsTask();
        if (goesOn)
            Assert.Equal(size, await Task.Factory.StartNew(ReceiveAll, TaskCreationOptions.LongRunning).WaitAsync(Patience));
        else
            client.Stop();
        await writing.WaitAsync(Patience);
        await pipes.Output.CompleteAsync();
        await pipes.Sent.WaitAsync(Patience);

        int ReceiveAll()
        {
            var (buffer, all) = (new byte[RingMemory.Capacity], 0);
            while (all < size && child.Wait())
            {
                for (int count; (count = child.Receive(buffer)) > 0;)
                    all += count;
            }
            return all;
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(RingMemory.Capacity + 1)]
    [InlineData(long.MinValue)]
    [InlineData(long.MaxValue)]
    public unsafe void A_wrong_number_of_written_bytes_is_noticed(long written)
    {
        var (memory, client) = Client();
        memory.LineOf(1)->Written = written;
        Assert.Equal(RingConnection.Broken, client.Receive(new byte[1 << 20]));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(RingMemory.Capacity + 1)]
    [InlineData(long.MaxValue)]
    public unsafe void A_wrong_number_of_read_bytes_is_noticed(long read)
    {
        var (memory, client) = Client();
        Assert.Equal(RingMemory.Capacity, client.Send(new byte[RingMemory.Capacity]));
        memory.LineOf(0)->Read = read;
        Assert.Equal(RingConnection.Broken, client.Send(new byte[1]));
    }

    [Fact]
    public unsafe void What_the_other_side_has_read_cannot_become_unread()
    {
        var (memory, client) = Client();
        client.Send(new byte[RingMemory.Capacity]);
        memory.LineOf(0)->Read = 10;
        Assert.Equal(10, client.Send(new byte[20]));
        memory.LineOf(0)->Read = 9;
        Assert.Equal(RingConnection.Broken, client.Send(new byte[1]));
    }

    [Fact]
    public void The_other_process_cannot_change_the_size_of_the_memory()
    {
        var (memory, descriptor) = RingMemory.Create();
        open.Add(memory);
        using var handle = new SafeFileHandle(descriptor, ownsHandle: false);
        var size = RandomAccess.GetLength(handle);
        Assert.ThrowsAny<Exception>(() => RandomAccess.SetLength(handle, 0));
        Assert.ThrowsAny<Exception>(() => RandomAccess.SetLength(handle, size + 1));
        Assert.Equal(size, RandomAccess.GetLength(handle));
    }

    [Fact]
    public void A_file_of_another_size_is_refused()
    {
        using var other = File.OpenHandle(Environment.ProcessPath!);
        var error = Assert.Throws<IOException>(() => RingConnector.Open(
            Descriptor.Duplicate(other).ToString(CultureInfo.InvariantCulture), RingWait.Default));
        Assert.Equal("the descriptor is not the memory of a connection", error.Message);
    }

    [Theory]
    [InlineData("spin", long.MaxValue)]
    [InlineData("spin=1us", 1_000L)]
    [InlineData("spin=1000000us", 1_000_000_000L)]
    [InlineData("futex", 0L)]
    [InlineData("eventfd", 0L)]
    [InlineData("spin=0us", null)]
    [InlineData("spin=20", null)]
    [InlineData("spin=-1us", null)]
    [InlineData("spin=us", null)]
    [InlineData("spin=1000001us", null)]
    [InlineData("event", null)]
    [InlineData("", null)]
    public void Only_valid_ways_of_waiting_are_accepted(string text, long? spinNs) => Assert.Equal(spinNs, RingWait.Find(text)?.SpinNs);

    private static void Echo(RingConnection child)
    {
        var buffer = new byte[10_000];
        while (child.Wait())
        {
            child.TakeRoom();
            for (int count; (count = child.Receive(buffer)) > 0;)
            {
                for (var sent = 0; (sent += child.Send(buffer.AsSpan(sent, count - sent))) < count && child.Wait(forRoomAlone: true);)
                    child.TakeRoom();
            }
        }
    }

    private void SendAndCompare(RingConnection client, int count)
    {
        var buffer = new byte[100_000];
        long sent = 0, received = 0;
        for (var left = 0; count > 0 || left > 0 || received < sent;)
        {
            if (left == 0 && count-- > 0)
                left = count % 10_000 == 0 ? 3 * RingMemory.Capacity : 1 + (int)Math.Exp(random.NextDouble() * Math.Log(1000));
            while (left > 0)
            {
                var at = (int)(sent % Period);
                var part = pattern.AsSpan(at, Math.Min(left, Period - at));
                var taken = client.Send(part);
                (sent, left) = (sent + taken, left - taken);
                if (taken < part.Length)
                    break;
            }
            if (left > 0 || count <= 0)
                Assert.True(client.Wait());
            client.TakeRoom();
            for (int got; (got = client.Receive(buffer.AsSpan(0, 1 + random.Next(buffer.Length)))) != 0; received += got)
                Compare(buffer.AsSpan(0, got), received);
        }
    }

    private void Compare(ReadOnlySpan<byte> bytes, long position)
    {
        while (!bytes.IsEmpty)
        {
            var at = (int)(position % Period);
            var part = Math.Min(bytes.Length, Period - at);
            Assert.True(bytes[..part].SequenceEqual(pattern.AsSpan(at, part)));
            bytes = bytes[part..];
            position += part;
        }
    }

    private (RingMemory Memory, RingConnection Client) Client()
    {
        var (memory, _) = RingMemory.Create();
        var client = new RingConnection(memory, isClient: true, RingConnector.OnWords(memory), RingWait.Default, child: null);
        open.Add(client);
        return (memory, client);
    }

    private (RingConnection Client, RingConnection Child) Pair(string text)
    {
        var wait = RingWait.Find(text)!;
        var (memory, descriptor) = RingMemory.Create();
        var (client, child) = wait.Bell == RingBell.EventFd ? EventFdBell.CreatePair() : RingConnector.OnWords(memory);
        var ours = new RingConnection(memory, isClient: true, (client, child), wait, child: null);
        int[] all = client is EventFdBell one && child is EventFdBell other ? [descriptor, one.Descriptor, other.Descriptor] : [descriptor];
        var theirs = RingConnector.Open(string.Join(',', all.Select(Second)), wait);
        open.AddRange([ours, theirs]);
        return (ours, theirs);
    }

    private static int Second(int descriptor)
    {
        using var handle = new SafeFileHandle(descriptor, ownsHandle: false);
        return Descriptor.Duplicate(handle);
    }
}
