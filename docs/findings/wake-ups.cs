// How often is .NET's socket engine woken for one message, and what does a message cost? An echo by ReceiveAsync and SendAsync, one message
// out at a time, over TCP on loopback and over a Unix socket. The other side is a blocking socket, which the engine does not watch.
// Linux: dotnet run -c Release wake-ups.cs [MESSAGES]; on one CPU: the same after taskset -c 0
#:property PublishAot=false
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

const int size = 64;
var messages = args.Length > 0 ? int.Parse(args[0], CultureInfo.InvariantCulture) : 20_000;
var path = Path.Combine(Path.GetTempPath(), $"wake-ups-{Environment.ProcessId}.sock");
EndPoint[] endPoints = [new IPEndPoint(IPAddress.Loopback, 0), new UnixDomainSocketEndPoint(path)];
foreach (var endPoint in endPoints)
{
    var kind = endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified;
    using var listener = new Socket(endPoint.AddressFamily, SocketType.Stream, kind);
    listener.Bind(endPoint);
    listener.Listen();
    using var client = new Socket(endPoint.AddressFamily, SocketType.Stream, kind);
    client.Connect(listener.LocalEndPoint!);
    using var server = listener.Accept();
    if (kind == ProtocolType.Tcp)
        client.NoDelay = server.NoDelay = true;
    var echo = EchoAsync(server);
    Exchange(client, messages / 10);
    var (before, cpu) = (EngineWaits(), Process.GetCurrentProcess().TotalProcessorTime);
    Exchange(client, messages);
    var waits = (EngineWaits() - before) / (double)messages;
    var used = (Process.GetCurrentProcess().TotalProcessorTime - cpu).TotalMicroseconds / messages;
    Console.WriteLine(FormattableString.Invariant(
        $".NET {Environment.Version}, {endPoint.AddressFamily}: the engine waited {waits:F2} times a message, {used:F1} us of CPU"));
    client.Shutdown(SocketShutdown.Both);
    echo.Wait();
}
File.Delete(path);

static async Task EchoAsync(Socket socket)
{
    var buffer = new byte[size];
    for (int count; (count = await socket.ReceiveAsync(buffer)) > 0;)
        await socket.SendAsync(buffer.AsMemory(0, count));
}

static void Exchange(Socket socket, int times)
{
    var buffer = new byte[size];
    for (; times > 0; times--)
    {
        socket.Send(buffer);
        for (var got = 0; got < size;)
            got += socket.Receive(buffer, got, size - got, SocketFlags.None);
    }
}

// The engine's threads do nothing but wait with epoll_wait(2) and hand on: each voluntary switch is a wait that a wake-up ended.
static long EngineWaits() => Directory.GetDirectories("/proc/self/task")
    .Where(task => File.ReadAllText(task + "/comm").StartsWith(".NET Socket", StringComparison.Ordinal))
    .SelectMany(task => File.ReadLines(task + "/status"))
    .Where(line => line.StartsWith("voluntary_ctxt_switches:", StringComparison.Ordinal))
    .Sum(line => long.Parse(line.Split('\t')[1], CultureInfo.InvariantCulture));
