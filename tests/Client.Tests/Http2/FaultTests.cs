using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks that an exception of a duplex neither keeps a connection's lock nor ends the process.</summary>
public class FaultTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private static Http2Options Options => new() { Request = Http2Request.Download("localhost", tls: false, 10), Size = 10, Streams = 1 };

    [Fact]
    public async Task A_duplex_that_throws_in_a_send_does_not_keep_the_lock()
    {
        var connection = new ReconnectingHttp2Connection(new SyncScheduler(), new MadeDialer(_ => new ThrowingDuplex()), Options);
        await Assert.ThrowsAsync<NotSupportedException>(() => connection.OpenAsync(CancellationToken.None)
            .WaitAsync(Patience, CancellationToken.None));
        await Task.Factory.StartNew(() => connection.SetAccepting(true), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default).WaitAsync(Patience, CancellationToken.None);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_stream_that_throws_in_a_write_ends_its_duplex(bool atOnce)
    {
        var stream = new ThrowingStream(atOnce);
        var connection = new ReconnectingHttp2Connection(
            new SyncScheduler(), new MadeDialer(owner => new StreamDuplex(new SyncScheduler(), owner, stream, 4096)), Options);
        var thrown = await Assert.ThrowsAsync<IOException>(() => connection.OpenAsync(CancellationToken.None)
            .WaitAsync(Patience, CancellationToken.None));
        Assert.Equal("no writes here", thrown.Message);
    }

    [Fact]
    public void A_write_that_fails_at_once_is_reported_after_the_flush()
    {
        var (scheduler, output) = (new SyncScheduler { Posted = new() }, new OutputBuffer(new BufferPool()));
        output.Append([1]);
        var owner = new Refilling(output);
        new StreamDuplex(scheduler, owner, new ThrowingStream(atOnce: true), 4096).Flush(output);
        Assert.Null(owner.Fault);
        var (action, state) = Assert.Single(scheduler.Posted!);
        action(state);
        Assert.Equal("no writes here", owner.Fault);
    }

    // Without parts, each of hundreds of connections would copy its whole upload.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Bytes_sent_over_a_stream_are_written_in_parts_of_a_mebibyte(bool atOnce)
    {
        var payload = new byte[5_000_000];
        new Random(1).NextBytes(payload);
        var output = new OutputBuffer(new BufferPool());
        output.Append(payload.AsSpan(0, 9));
        output.Borrow(payload.AsMemory(9));
        var stream = new PiecesStream(atOnce, payload.Length);
        var owner = new Refilling(output);
        new StreamDuplex(new SyncScheduler(), owner, stream, 4096).Flush(output);
        await stream.HasAll.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.Equal(payload, stream.ToArray());
        Assert.InRange(stream.Largest, 1, 1 << 20);
    }

    private sealed class PiecesStream(bool atOnce, int expected) : MemoryStream
    {
        private readonly TaskCompletionSource hasAll = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Largest { get; private set; }

        public Task HasAll => hasAll.Task;

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (!atOnce)
                await Task.Yield();
            Write(buffer.Span);
            Largest = Math.Max(Largest, buffer.Length);
            if (Length == expected)
                hasAll.SetResult();
        }
    }

    /// <summary>Sends the remaining bytes whenever there is room, as a connection does.</summary>
    private sealed class Refilling(OutputBuffer output) : IDuplexOwner
    {
        public void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes)
        {
        }

        public void OnRoom(Duplex duplex) => duplex.Flush(output);

        public string? Fault { get; private set; }

        public void OnEnd(Duplex duplex, string? fault) => Fault = fault;
    }

    private sealed class MadeDialer(Func<IDuplexOwner, Duplex> make) : Dialer(usesLoops: false)
    {
        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            new(make(owner));
    }

    private sealed class ThrowingDuplex : Duplex
    {
        public override void Start()
        {
        }

        public override void Flush(OutputBuffer output) => throw new NotSupportedException();

        public override void Close()
        {
        }
    }

    private sealed class ThrowingStream(bool atOnce) : MemoryStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            atOnce ? throw new NotSupportedException("no writes here") : LaterAsync();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return 0;
        }

        private static async ValueTask LaterAsync()
        {
            await Task.Yield();
            throw new NotSupportedException("no writes here");
        }
    }
}
