using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Http2;

/// <summary>What a duplex throws must neither keep a connection's lock nor end the process.</summary>
public class FaultTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private static Http2Options Options => new() { Request = Http2Request.Download("localhost", tls: false, 10), Size = 10, Streams = 1 };

    [Fact]
    public async Task A_link_that_throws_while_it_sends_does_not_keep_the_lock()
    {
        var connection = new Http2Client(new SyncScheduler(), new MadeDialer(_ => new ThrowingDuplex()), Options);
        await Assert.ThrowsAsync<NotSupportedException>(() => connection.OpenAsync(CancellationToken.None)
            .WaitAsync(Patience, CancellationToken.None));
        await Task.Factory.StartNew(() => connection.SetAccepting(true), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default).WaitAsync(Patience, CancellationToken.None);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_stream_that_throws_on_a_write_ends_its_link_whatever_it_throws(bool atOnce)
    {
        var stream = new ThrowingStream(atOnce);
        var connection = new Http2Client(new SyncScheduler(), new MadeDialer(owner => new StreamDuplex(owner, stream, 4096)), Options);
        var thrown = await Assert.ThrowsAsync<IOException>(() => connection.OpenAsync(CancellationToken.None)
            .WaitAsync(Patience, CancellationToken.None));
        Assert.Equal("no writes here", thrown.Message);
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
