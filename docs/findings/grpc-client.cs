// What does a call of Grpc.Net.Client cost, and how much of it is HttpClient? Unary calls of 10 B, Bench.Download of protos/bench.proto:
//   GrpcBench serve --listen http://127.0.0.1:5000
//   dotnet run -c Release docs/findings/grpc-client.cs http://127.0.0.1:5000 grpc|http CONNECTIONS STREAMS SECONDS
// "http" makes the same request by HttpClient alone. Messages are bytes, without protobuf's objects.
#:package Grpc.Net.Client
#:property PublishAot=false
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using Grpc.Core;
using Grpc.Net.Client;

var (address, kind) = (args[0], args[1]);
var (connections, streams, seconds) = (Number(2), Number(3), Number(4));
byte[] message = [8, 10]; // size = 10
byte[] framed = [0, 0, 0, 0, 2, .. message];
var method = new Method<byte[], byte[]>(
    MethodType.Unary, "ipcbench.v1.Bench", "Download", Marshaller(), Marshaller());
long calls = 0;
var ended = false;
var workers = Enumerable.Range(0, connections).SelectMany(_ => Workers()).ToArray();
await Task.Delay(TimeSpan.FromSeconds(2));
var (before, cpu, allocated) = (Read(), Process.GetCurrentProcess().TotalProcessorTime, GC.GetTotalAllocatedBytes());
var watch = Stopwatch.StartNew();
await Task.Delay(TimeSpan.FromSeconds(seconds));
var made = Read() - before;
var (used, elapsed) = (Process.GetCurrentProcess().TotalProcessorTime - cpu, watch.Elapsed);
var (each, bytes) = (used.TotalMicroseconds / made, (GC.GetTotalAllocatedBytes() - allocated) / (double)made);
Console.WriteLine(string.Create(
    CultureInfo.InvariantCulture,
    $".NET {Environment.Version}, {kind}, {connections} x {streams}: {each:F2} us of CPU, {bytes:F0} B a call, "
    + $"{made / elapsed.TotalSeconds:F0} calls/s"));
Volatile.Write(ref ended, true);
await Task.WhenAll(workers);

static Marshaller<byte[]> Marshaller() => Marshallers.Create<byte[]>(bytes => bytes, bytes => bytes);

int Number(int index) => int.Parse(args[index], CultureInfo.InvariantCulture);

long Read() => Interlocked.Read(ref calls);

IEnumerable<Task> Workers()
{
    var invoker = GrpcChannel.ForAddress(address).CreateCallInvoker();
    var client = new HttpMessageInvoker(new SocketsHttpHandler());
    for (var stream = 0; stream < streams; stream++)
        yield return Task.Run(() => kind == "grpc" ? LoopAsync(() => GrpcAsync(invoker)) : LoopAsync(() => HttpAsync(client)));
}

async Task LoopAsync(Func<Task<int>> call)
{
    for (; !Volatile.Read(ref ended); Interlocked.Increment(ref calls))
    {
        if (await call() is not 12 and var length)
            throw new InvalidOperationException($"a reply of {length} bytes");
    }
}

async Task<int> GrpcAsync(CallInvoker invoker)
{
    using var call = invoker.AsyncUnaryCall(method, null, default, message);
    return (await call).Length;
}

async Task<int> HttpAsync(HttpMessageInvoker client)
{
    using var request = new HttpRequestMessage(HttpMethod.Post, address + "/ipcbench.v1.Bench/Download")
    {
        Version = HttpVersion.Version20,
        VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        Content = new ByteArrayContent(framed) { Headers = { ContentType = new MediaTypeHeaderValue("application/grpc") } },
        Headers = { { "TE", "trailers" } },
    };
    using var response = await client.SendAsync(request, default);
    var reply = await response.Content.ReadAsByteArrayAsync();
    return response.TrailingHeaders.NonValidated["grpc-status"].ToString() == "0" ? reply.Length - 5 : -1;
}
