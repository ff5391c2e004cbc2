using System.Text;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.InOrder;
using IpcBench.Client.Tests.Http1.Support;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Http1;

/// <summary>
/// Checks that nothing is thrown whatever a server sends, that every call ends or can be cut off, and that the connection stays usable
/// or is reopened.
/// </summary>
public class HttpFuzzTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Random_bytes_cause_no_exception(int seed)
    {
        var random = new Random(seed);
        for (var i = 0; i < 2000; i++)
        {
            var bytes = new byte[random.Next(1, 300)];
            random.NextBytes(bytes);
            Survives(random, bytes);
        }
    }

    [Theory]
    [InlineData(3)]
    [InlineData(4)]
    public void Mutated_replies_cause_no_exception(int seed)
    {
        var random = new Random(seed);
        var right = Encoding.ASCII.GetBytes(
            "HTTP/1.1 103 Early Hints\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: x\r\n\r\n"
            + FakeHttpServer.Reply(10) + "HTTP/1.0 500 Oh\r\nConnection: close\r\n\r\nuntil the end");
        for (var i = 0; i < 3000; i++)
        {
            var bytes = right.ToArray();
            for (var change = random.Next(1, 6); change > 0; change--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            Survives(random, random.Next(4) == 0 ? bytes[..random.Next(1, bytes.Length)] : bytes);
        }
    }

    private static void Survives(Random random, byte[] bytes)
    {
        var (scheduler, dialer) = (new SyncScheduler(), new ScriptedDialer());
        var request = new HttpRequest { Url = "", Size = 10 };
        var connection = new InOrderConnection(scheduler, dialer, new HttpProtocol(request.ToBytes(close: false), request), atOnce: 1);
        Assert.True(connection.OpenAsync(CancellationToken.None).IsCompletedSuccessfully);
        connection.SetAccepting(true);
        var call = connection.Streams[0].CallAsync(0).AsTask();
        for (var at = 0; at < bytes.Length;)
        {
            var piece = random.Next(1, bytes.Length - at + 1);
            dialer.Opened[^1].Deliver(bytes[at..(at + piece)]);
            at += piece;
        }
        connection.CutOff(long.MaxValue);
        Assert.True(call.IsCompletedSuccessfully);
        dialer.Opened[^1].End();
        scheduler.HurryTimers();
        Assert.True(connection.IsReady);
        var next = connection.Streams[0].CallAsync(0).AsTask();
        if (next.IsCompletedSuccessfully && next.Result.Kind == "protocol")
            next = connection.Streams[0].CallAsync(0).AsTask(); // unrequested bytes fail one call, and the next call succeeds
        dialer.Opened[^1].Deliver(Encoding.ASCII.GetBytes(FakeHttpServer.Reply(10)));
        Assert.True(next.IsCompletedSuccessfully && next.Result.IsOk);
    }
}
