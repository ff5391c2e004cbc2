// How many system calls does Kestrel make for 1 MB that a client sends, and what do they cost? The program starts itself as the server.
// The client writes HTTP/1.1 requests of 1 MB on one TCP connection.   dotnet run -c Release receiving.cs -- [WORD…] [REQUESTS]
//   eager    WaitForDataBeforeAllocatingBuffer = false        blocks   the same, and a memory pool of 64 KiB blocks (.NET 10)
//   file     the body is a form with a file, else bytes       server=PATH   another program that prints its port and serves /body and /file
// The calls: strace -f -o calls.txt -e trace=recvfrom,recvmsg receiving 20; grep -oE '(MSG_PEEK.*)?= [0-9]+$' calls.txt | sort | uniq -c
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

if (args.Contains("serve"))
{
    var builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders();
    builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
    builder.WebHost.UseSockets(sockets => sockets.WaitForDataBeforeAllocatingBuffer = !args.Contains("eager") && !args.Contains("blocks"));
#if NET10_0_OR_GREATER
    if (args.Contains("blocks"))
        builder.Services.AddSingleton<Microsoft.AspNetCore.Connections.IMemoryPoolFactory<byte>>(new Blocks());
#endif
    var app = builder.Build();
    app.MapPost("/body", async context => await context.Request.Body.CopyToAsync(Stream.Null));
    app.MapPost("/file", async context => await (await context.Request.ReadFormAsync()).Files[0].CopyToAsync(Stream.Null));
    await app.StartAsync();
    Console.WriteLine(new Uri(app.Urls.First()).Port);
    await Console.In.ReadToEndAsync();
    return;
}
const int size = 1_000_000;
var requests = args.Select(arg => int.TryParse(arg, out var count) ? count : 0).Append(2000).First(count => count > 0);
var program = args.FirstOrDefault(arg => arg.StartsWith("server=", StringComparison.Ordinal))?[7..] ?? Environment.ProcessPath!;
using var server = Process.Start(
    new ProcessStartInfo(program, args.Append("serve")) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
await socket.ConnectAsync(IPAddress.Loopback, int.Parse(server.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture));
var form = args.Contains("file");
var (path, type) = form ? ("/file", "multipart/form-data; boundary=x") : ("/body", "application/octet-stream");
var (before, after) = form ? ("--x\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n", "\r\n--x--\r\n") : ("", "");
var body = before + new string('a', size) + after;
var request = Encoding.ASCII.GetBytes(
    $"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {type}\r\nContent-Length: {body.Length}\r\n\r\n{body}");
var answer = new byte[4096];
Exchange(requests / 4 + 1);
var (cpu, watch) = (server.TotalProcessorTime, Stopwatch.StartNew());
Exchange(requests);
var (elapsed, used) = (watch.Elapsed / requests, (server.TotalProcessorTime - cpu) / requests);
Console.WriteLine(FormattableString.Invariant(
    $".NET {Environment.Version}: {used.TotalMicroseconds:F0} us of the server's CPU, {elapsed.TotalMicroseconds:F0} us a request"));
server.StandardInput.Close();
server.WaitForExit();

void Exchange(int times)
{
    for (; times > 0; times--)
    {
        socket.Send(request);
        var text = Encoding.ASCII.GetString(answer, 0, socket.Receive(answer));
        if (!text.StartsWith("HTTP/1.1 200", StringComparison.Ordinal))
            throw new InvalidOperationException(text);
    }
}

#if NET10_0_OR_GREATER
internal sealed class Blocks : System.Buffers.MemoryPool<byte>, Microsoft.AspNetCore.Connections.IMemoryPoolFactory<byte>
{
    public override int MaxBufferSize => 65536;
    public override System.Buffers.IMemoryOwner<byte> Rent(int minBufferSize = -1) => Shared.Rent(MaxBufferSize);
    public System.Buffers.MemoryPool<byte> Create(Microsoft.AspNetCore.Connections.MemoryPoolOptions? options = null) => this;
    protected override void Dispose(bool disposing) { }
}
#endif
