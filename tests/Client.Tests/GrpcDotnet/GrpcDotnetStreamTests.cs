using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.GrpcDotnet;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.GrpcDotnet;

public class GrpcDotnetStreamTests
{
    [Fact]
    public async Task A_stream_that_was_cancelled_after_its_answer_is_not_used_again()
    {
        var address = new Address.Tcp("127.0.0.1", 1);
        await using var connection = new GrpcDotnetConnection(
            new SyncScheduler(), new EngineOptions { Address = address, Size = 10, Connections = 1, Threads = 1 }, null, null, null,
            new FailureNotes(), Connector.For(address, new ConnectorOptions()), new ConnectorOptions(), null);
        var stream = new AnsweredStream(connection);

        await stream.CallAsync(1);
        Assert.True(stream.IsKept);
        stream.CutsOffNext = true;
        await stream.CallAsync(2);
        Assert.True(stream.IsKept);
        stream.CutsOffNext = false;
        await stream.CallAsync(3);

        Assert.Equal([1, 1, 3], stream.StreamOfCall);
    }

    /// <summary>A stream that needs no server and outlives its calls. Its number is that of its first call.</summary>
    private sealed class AnsweredStream(GrpcDotnetConnection connection) : GrpcDotnetStream(connection)
    {
        private long? open;

        public bool CutsOffNext { get; set; }

        public bool IsKept => open is not null;

        public List<long> StreamOfCall { get; } = [];

        protected override void DropOpen() => open = null;

        protected override Task<CallResult> Call(long sentNs, CancellationToken cancellation)
        {
            StreamOfCall.Add(open ??= sentNs);
            if (CutsOffNext)
                CutOff(long.MaxValue);
            return Task.FromResult(CallResult.Ok(0));
        }
    }
}
