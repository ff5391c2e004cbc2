using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.GrpcDotnet;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.GrpcDotnet;

public class GrpcDotnetStreamTests
{
    [Fact]
    public async Task A_stream_that_was_cancelled_after_its_answer_is_not_used_again()
    {
        await using var connection = Connection();
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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Messages_pushed_on_a_stream_that_is_cancelled_have_no_receipt(bool atEnd)
    {
        await using var connection = Connection();
        var server = new SilentServer();
        var stream = new GrpcDotnetPush(connection, new Bench.BenchClient(server), new Payload(), messages: 0);
        server.AfterWrite = () => stream.CutOff(long.MaxValue);

        Assert.True((await stream.CallAsync(1)).IsOk);
        Assert.True((atEnd ? await stream.EndAsync(2) : await stream.CallAsync(2)).IsCutOff);
        Assert.Null(stream.TakeReceipt());
        Assert.True((await stream.CallAsync(3)).IsOk);
    }

    [Fact]
    public async Task A_new_connection_begins_with_the_next_message()
    {
        var sent = new List<byte>();
        var server = new SilentServer { Answer = request => { sent.Add(request[0]); return []; } };
        var call = new GrpcCall { Method = "a.B/C", Messages = [[1], [2], [3]], Corpus = "" };
        for (var connection = 0; connection < 4; connection++)
            await new GrpcDotnetMethod(server, call, new FailureNotes()).Call(CancellationToken.None);
        Assert.Equal([1, 2, 3, 1], sent);
    }

    [Fact]
    public async Task The_next_reply_is_checked_if_the_first_call_of_a_window_fails()
    {
        await using var connection = Connection();
        var answers = new Queue<byte[]?>([null, [1], [1]]);
        var server = new SilentServer
        {
            Answer = _ => answers.Dequeue() ?? throw new RpcException(new Status(StatusCode.Internal, "")),
        };
        var call = new GrpcCall { Method = "a.B/C", Messages = [[0]], Corpus = "", Expect = _ => "it is wrong" };
        var method = new GrpcDotnetMethod(server, call, new FailureNotes());
        var stream = new GrpcDotnetCalls(connection, new Bench.BenchClient(server), new DownloadRequest(), null, method);

        connection.OnWindow();
        Assert.Equal(
            ["status 13", "not as expected", ""],
            [(await stream.CallAsync(1)).Kind ?? "", (await stream.CallAsync(2)).Kind ?? "", (await stream.CallAsync(3)).Kind ?? ""]);
    }

    [Fact]
    public async Task No_message_is_awaited_if_the_load_ends_just_before_the_call()
    {
        await using var connection = Connection();
        var stream = new GrpcDotnetPull(connection, new Bench.BenchClient(new SilentServer()), size: 10, chunk: 0, messages: 0);
        stream.StopWaiting();
        Assert.True((await stream.CallAsync(1).AsTask().WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken)).IsOver);
    }

    private static GrpcDotnetConnection Connection()
    {
        var address = new Address.Tcp("127.0.0.1", 1);
        return new GrpcDotnetConnection(
            new SyncScheduler(), new EngineOptions { Address = address, Size = 10, Connections = 1, Threads = 1 }, null, null, null,
            new FailureNotes(), Connector.For(address, new ConnectorOptions()), new ConnectorOptions(), null);
    }

    /// <summary>Takes all messages of a stream and never answers.</summary>
    private sealed class SilentServer : CallInvoker
    {
        public Action AfterWrite { get; set; } = () => { };

        public Func<byte[], byte[]> Answer { get; init; } = _ => throw new NotSupportedException();

        public override AsyncClientStreamingCall<TRequest, TResponse> AsyncClientStreamingCall<TRequest, TResponse>(
            Method<TRequest, TResponse> method, string? host, CallOptions options) => new(
                new Writer<TRequest>(this), new TaskCompletionSource<TResponse>().Task, Task.FromResult(new Metadata()),
                () => Status.DefaultSuccess, () => [], () => { });

        public override TResponse BlockingUnaryCall<TRequest, TResponse>(
            Method<TRequest, TResponse> method, string? host, CallOptions options, TRequest request) => throw new NotSupportedException();

        public override AsyncUnaryCall<TResponse> AsyncUnaryCall<TRequest, TResponse>(
            Method<TRequest, TResponse> method, string? host, CallOptions options, TRequest request) => new(
                AnswerAsync<TResponse>((byte[])(object)request!), Task.FromResult(new Metadata()), () => Status.DefaultSuccess, () => [],
                () => { });

        private async Task<T> AnswerAsync<T>(byte[] request)
        {
            await Task.Yield();
            return (T)(object)Answer(request);
        }

        public override AsyncServerStreamingCall<TResponse> AsyncServerStreamingCall<TRequest, TResponse>(
            Method<TRequest, TResponse> method, string? host, CallOptions options, TRequest request) => throw new NotSupportedException();

        public override AsyncDuplexStreamingCall<TRequest, TResponse> AsyncDuplexStreamingCall<TRequest, TResponse>(
            Method<TRequest, TResponse> method, string? host, CallOptions options) => throw new NotSupportedException();

        private sealed class Writer<T>(SilentServer server) : IClientStreamWriter<T>
        {
            public WriteOptions? WriteOptions { get; set; }

            public Task CompleteAsync() => Task.CompletedTask;

            public Task WriteAsync(T message)
            {
                server.AfterWrite();
                return Task.CompletedTask;
            }
        }
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
