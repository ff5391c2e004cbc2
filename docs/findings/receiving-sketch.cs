// Two proposals for Kestrel's socket transport, measured outside of it. This transport has the shape of Kestrel's (two pipes, blocks of the
// same pool, a task that receives and one that sends); its receive loop follows the rule that is named. receiving.cs is its client:
//   receiving server=PATH-OF-THIS-PROGRAM RULE       .NET 10
//   look     a look before each receive: as Kestrel does       never   no look: as with WaitForDataBeforeAllocatingBuffer = false
//   once     no look after a receive that filled its block     grow    once, and the block doubles up to 64 KiB while blocks come full
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

var builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
builder.Services.AddSingleton<IConnectionListenerFactory>(services => new Sketch(
    args.First(arg => arg is "look" or "never" or "once" or "grow"), services.GetRequiredService<IMemoryPoolFactory<byte>>()));
var app = builder.Build();
app.MapPost("/body", async context => await context.Request.Body.CopyToAsync(Stream.Null));
app.MapPost("/file", async context => await (await context.Request.ReadFormAsync()).Files[0].CopyToAsync(Stream.Null));
await app.StartAsync();
Console.WriteLine(new Uri(app.Urls.First()).Port);
await Console.In.ReadToEndAsync();

internal sealed class Sketch(string rule, IMemoryPoolFactory<byte> pools) : IConnectionListenerFactory
{
    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(endpoint);
        socket.Listen(512);
        return new(new Listener(socket, rule, pools));
    }
}

internal sealed class Listener(Socket listening, string rule, IMemoryPoolFactory<byte> pools) : IConnectionListener
{
    private readonly PipeOptions input = new(
        pools.Create(), pauseWriterThreshold: 1 << 20, resumeWriterThreshold: 1 << 19, useSynchronizationContext: false);

    private readonly PipeOptions output = new(
        pools.Create(), pauseWriterThreshold: 1 << 16, resumeWriterThreshold: 1 << 15, useSynchronizationContext: false);

    public EndPoint EndPoint => listening.LocalEndPoint!;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            var socket = await listening.AcceptAsync(cancellationToken);
            socket.NoDelay = true;
            var (received, sent) = (new Pipe(input), new Pipe(output));
            _ = ReceiveAsync(socket, received.Writer);
            _ = SendAsync(socket, sent.Reader);
            return new DefaultConnectionContext(
                Guid.NewGuid().ToString(), new Duplex(received.Reader, sent.Writer), new Duplex(sent.Reader, received.Writer));
        }
        catch (SocketException)
        {
            return null;
        }
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => DisposeAsync();

    public ValueTask DisposeAsync()
    {
        listening.Dispose();
        return default;
    }

    private async Task ReceiveAsync(Socket socket, PipeWriter writer)
    {
        const int least = 4096, most = 65536;
        var (block, full) = (least, false);
        while (true)
        {
            if (rule == "look" || (rule != "never" && !full))
                await socket.ReceiveAsync(Memory<byte>.Empty);
            var memory = writer.GetMemory(block == least ? least / 2 : block);
            var count = await socket.ReceiveAsync(memory);
            if (count == 0)
                break;
            full = count == memory.Length;
            block = rule == "grow" && full ? Math.Min(block * 2, most) : least;
            writer.Advance(count);
            if ((await writer.FlushAsync()).IsCompleted)
                break;
        }
        await writer.CompleteAsync();
    }

    private static async Task SendAsync(Socket socket, PipeReader reader)
    {
        for (ReadResult read = default; !read.IsCompleted;)
        {
            read = await reader.ReadAsync();
            foreach (var part in read.Buffer)
                await socket.SendAsync(part);
            reader.AdvanceTo(read.Buffer.End);
        }
        socket.Dispose();
    }

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
