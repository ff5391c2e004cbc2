using System.Net;
using IpcBench.LoopSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace IpcBench.Server.Tests.Support;

/// <summary>A user's application on Kestrel with UseLoopTransport.</summary>
internal sealed class LoopApplication : IAsyncDisposable
{
    private readonly WebApplication host;
    private long written;
    private int waiting;
    private int blocked;

    public LoopApplication(HttpProtocols protocols, Action<LoopTransportOptions>? configure = null)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.AddProvider(Log);
        builder.WebHost.UseKestrelCore().UseLoopTransport(options =>
        {
            options.Loops = 2;
            configure?.Invoke(options);
        });
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
        {
            kestrel.ListenUnixSocket(Path, listen => listen.Protocols = protocols);
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols);
        });
        host = builder.Build();
        host.Run(ServeAsync);
    }

    public string Path { get; } = Addresses.Unix().Path;

    public IPEndPoint Tcp => host.Urls.Select(url => new Uri(url)).Where(url => url.HostNameType == UriHostNameType.IPv4)
        .Select(url => new IPEndPoint(IPAddress.Parse(url.Host), url.Port)).First();

    /// <summary>Bytes that calls of /many have written.</summary>
    public long Written => Interlocked.Read(ref written);

    /// <summary>Calls of /wait in flight.</summary>
    public int Waiting => Volatile.Read(ref waiting);

    /// <summary>Calls of /form that block a thread until their body has arrived.</summary>
    public int Blocked => Volatile.Read(ref blocked);

    /// <summary>What the host and the transport have logged.</summary>
    public CollectedLog Log { get; } = new();

    /// <summary>Stops the server and waits only a moment for calls in flight.</summary>
    public async Task StopSoonAsync()
    {
        using var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(300));
        try
        {
            await host.StopAsync(soon.Token);
        }
        catch (OperationCanceledException)
        {
            // The host throws when the calls did not end in time.
        }
    }

    public Task StartAsync() => host.StartAsync().WaitAsync(Limits.Wait);

    public async ValueTask DisposeAsync()
    {
        await host.StopAsync().WaitAsync(Limits.Wait);
        await host.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        File.Delete(Path);
    }

    private Task ServeAsync(HttpContext context) => context.Request.Path.Value!.Split('/') switch
    {
        ["", "echo"] => EchoAsync(context),
        ["", "many", var bytes] => WriteManyAsync(context, int.Parse(bytes)),
        ["", "wait"] => WaitAsync(context),
        ["", "form"] => BlockOnForm(context),
        ["", "abort"] => AbortAsync(context),
        _ => context.Response.WriteAsync("pong"),
    };

    private static async Task EchoAsync(HttpContext context)
    {
        // Reads the whole body before the answer begins: HTTP/1.1 clients need not read while they send.
        var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        await context.Response.Body.WriteAsync(body.ToArray());
    }

    private async Task WriteManyAsync(HttpContext context, int bytes)
    {
        var piece = new byte[64 << 10];
        for (var left = bytes; left > 0; left -= piece.Length)
        {
            await context.Response.Body.WriteAsync(piece.AsMemory(0, Math.Min(left, piece.Length)));
            Interlocked.Add(ref written, Math.Min(left, piece.Length));
        }
    }

    private async Task WaitAsync(HttpContext context)
    {
        Interlocked.Increment(ref waiting);
        var ended = new TaskCompletionSource();
        await using (context.RequestAborted.UnsafeRegister(_ => ended.TrySetResult(), null))
            await ended.Task;
        Interlocked.Decrement(ref waiting);
    }

    // Blocks as an application does that reads Request.Form or the Result of a task.
    private Task BlockOnForm(HttpContext context)
    {
        Interlocked.Increment(ref blocked);
        try
        {
            context.Request.ReadFormAsync().GetAwaiter().GetResult();
            return Task.CompletedTask;
        }
        finally
        {
            Interlocked.Decrement(ref blocked);
        }
    }

    private static Task AbortAsync(HttpContext context)
    {
        context.Abort();
        return Task.CompletedTask;
    }
}
