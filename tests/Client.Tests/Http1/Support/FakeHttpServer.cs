using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Http1.Support;

/// <summary>A server on a real socket that answers each request with the bytes and at the time that the test chooses.</summary>
internal sealed class FakeHttpServer : IAsyncDisposable
{
    private readonly CancellationTokenSource stop = new();
    private readonly ConcurrentDictionary<Socket, byte> open = new();
    private readonly Socket listener;
    private readonly Task accepting;
    private int accepted;
    private int calls;

    public FakeHttpServer(string kind = "unix")
    {
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        EndPoint endPoint = kind == "tcp" ? new IPEndPoint(IPAddress.Loopback, 0) : new UnixDomainSocketEndPoint(path);
        listener = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endPoint);
        listener.Listen(64);
        Address = kind == "tcp" ? new Address.Tcp("127.0.0.1", ((IPEndPoint)listener.LocalEndPoint!).Port) : new Address.Unix(path);
        accepting = AcceptAsync();
    }

    public Address Address { get; }

    /// <summary>Answers one request, from its head and its running number; false closes the connection afterwards.</summary>
    public Func<Socket, string, int, Task<bool>> Answer { get; set; } = (socket, _, _) => SayAsync(socket, Reply(10));

    /// <summary>Which connections, numbered from 1 as they are accepted, end at once.</summary>
    public Func<int, bool> Closes { get; set; } = _ => false;

    public int Accepted => Volatile.Read(ref accepted);

    public int Calls => Volatile.Read(ref calls);

    public static string Reply(int length, string headers = "") =>
        $"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{headers}\r\n{new string('x', length)}";

    /// <returns>True: the connection continues.</returns>
    public static async Task<bool> SayAsync(Socket socket, string text)
    {
        await socket.SendAsync(Encoding.Latin1.GetBytes(text));
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        listener.Dispose();
        if (Address is Address.Unix unix)
            File.Delete(unix.Path);
        foreach (var socket in open.Keys)
            socket.Dispose();
        await accepting.WaitAsync(TimeSpan.FromSeconds(10));
        stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var socket = await listener.AcceptAsync(stop.Token);
                if (Closes(Interlocked.Increment(ref accepted)))
                {
                    socket.Dispose();
                    continue;
                }
                open[socket] = 0;
                _ = ServeAsync(socket);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The test is over.
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        try
        {
            var (buffer, text) = (new byte[4096], "");
            while (true)
            {
                var end = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
                if (end >= 0)
                {
                    var head = text[..end];
                    text = text[(end + 4)..];
                    if (!await Answer(socket, head, Interlocked.Increment(ref calls)))
                        break;
                    continue;
                }
                var count = await socket.ReceiveAsync(buffer);
                if (count == 0)
                    break;
                text += Encoding.Latin1.GetString(buffer, 0, count);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The client has gone, or the test is over.
        }
        open.TryRemove(socket, out _);
        socket.Dispose();
    }
}
