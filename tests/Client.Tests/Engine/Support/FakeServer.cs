using System.Collections.Concurrent;
using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine.Support;

/// <summary>A server on a real socket or pipe that answers each call with the bytes and at the time that the test chooses.</summary>
internal sealed class FakeServer : IAsyncDisposable
{
    private readonly CancellationTokenSource stop = new();
    private readonly ConcurrentDictionary<Stream, byte> open = new();
    private readonly TaskCompletionSource pinged = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Socket? listener;
    private readonly Task accepting;
    private NamedPipeServerStream? nextPipe;
    private int accepted;
    private int asked;
    private int calls;

    public FakeServer(string kind = "unix")
    {
        var name = "ipcbench-" + Guid.NewGuid().ToString("N");
        switch (kind)
        {
            case "tcp":
                listener = Listen(AddressFamily.InterNetwork, new IPEndPoint(IPAddress.Loopback, 0));
                Address = new Address.Tcp("127.0.0.1", ((IPEndPoint)listener.LocalEndPoint!).Port);
                break;
            case "unix":
                var path = Path.Combine(Path.GetTempPath(), name + ".sock");
                listener = Listen(AddressFamily.Unix, new UnixDomainSocketEndPoint(path));
                Address = new Address.Unix(path);
                break;
            default:
                Address = new Address.Pipe(name);
                break;
        }
        accepting = AcceptAsync();
    }

    public Address Address { get; }

    /// <summary>Makes the bytes of an answer from the stream and the running number of the call.</summary>
    public Func<int, int, byte[]> Answer { get; set; } = (stream, _) => Frames.Reply(stream, 10);

    /// <summary>Whether each DATA frame counts as a call, instead of each request.</summary>
    public bool AnswersFrames { get; set; }

    /// <summary>
    /// Makes the bytes to send for each DATA frame, instead of <see cref="Answer"/>. Null ends the connection.
    /// </summary>
    public Func<Heard, byte[]?>? Hears { get; set; }

    public TimeSpan Delay { get; set; }

    /// <summary>No call is answered before this task has completed.</summary>
    public Task Release { get; set; } = Task.CompletedTask;

    /// <summary>The first bytes of each connection.</summary>
    public byte[] Greeting { get; set; } = Frames.Settings();

    /// <summary>Which connections, numbered from 1 as they are accepted, end right after their greeting.</summary>
    public Func<int, bool> Closes { get; set; } = _ => false;

    /// <summary>Which connections end without a greeting.</summary>
    public Func<int, bool> Refuses { get; set; } = _ => false;

    public int Accepted => Volatile.Read(ref accepted);

    public int Calls => Volatile.Read(ref calls);

    /// <summary>The number of connections that have received a call.</summary>
    public int Asked => Volatile.Read(ref asked);

    public int Open => open.Count;

    /// <summary>Completes when a client has answered a <see cref="Frames.Ping"/>, and so has read all bytes before the PING.</summary>
    public Task Pinged => pinged.Task;

    /// <summary>Ends <paramref name="count"/> connections, TCP connections by a reset if <paramref name="reset"/> is true.</summary>
    public void Kill(int count, bool reset = false)
    {
        foreach (var stream in open.Keys.Take(count))
        {
            if (reset && stream is NetworkStream network)
                network.Socket.LingerState = new LingerOption(true, 0); // close(2) sends RST
            stream.Dispose();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        listener?.Dispose();
        if (Address is Address.Unix unix)
            File.Delete(unix.Path);
        Kill(int.MaxValue);
        await accepting.WaitAsync(TimeSpan.FromSeconds(10));
        if (nextPipe is not null)
            await nextPipe.DisposeAsync();
    }

    private static Socket Listen(AddressFamily family, EndPoint endPoint)
    {
        var socket = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(endPoint);
        socket.Listen(64);
        return socket;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var stream = listener is null
                    ? await AcceptPipeAsync()
                    : new NetworkStream(await listener.AcceptAsync(stop.Token), ownsSocket: true);
                open[stream] = 0;
                _ = ServeAsync(stream, Interlocked.Increment(ref accepted));
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException or SocketException or IOException)
        {
            // The test is over.
        }
    }

    private async Task<Stream> AcceptPipeAsync()
    {
        var pipe = nextPipe ?? NewPipe();
        await pipe.WaitForConnectionAsync(stop.Token);
        nextPipe = NewPipe(); // one pipe always listens: the name disappears with the last pipe
        return pipe;
    }

    private NamedPipeServerStream NewPipe() =>
        new(((Address.Pipe)Address).Name, PipeDirection.InOut, NamedPipeServerStream.MaxAllowedServerInstances,
        PipeTransmissionMode.Byte, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);

    private async Task ServeAsync(Stream stream, int number)
    {
        try
        {
            if (Refuses(number))
                throw new IOException("the test refuses it");
            await stream.WriteAsync(Greeting);
            if (Closes(number))
                throw new IOException("the test closes it");
            await stream.ReadExactlyAsync(new byte[FrameWriter.Preface.Length]);
            var (header, isFirst) = (new byte[FrameHeader.Size], true);
            var requests = new Dictionary<int, Heard>();
            while (true)
            {
                await stream.ReadExactlyAsync(header);
                var frame = FrameHeader.Read(header);
                var payload = new byte[frame.Length];
                await stream.ReadExactlyAsync(payload);
                if (frame.Type == FrameType.Ping && frame.Has(FrameFlags.Ack))
                    pinged.TrySetResult();
                if (frame.Type == FrameType.Data && Hears is { } hears)
                {
                    if (!requests.TryGetValue(frame.StreamId, out var heard))
                        requests.Add(frame.StreamId, heard = new Heard(Interlocked.Increment(ref calls), frame.StreamId, number));
                    heard.Add(payload, frame.Has(FrameFlags.EndStream));
                    byte[] room = frame.Length == 0 ? [] :
                    [
                        .. Frames.WindowUpdate(0, (uint)frame.Length),
                        .. heard.Ends ? [] : Frames.WindowUpdate(frame.StreamId, (uint)frame.Length),
                    ];
                    await stream.WriteAsync((byte[])[.. room, .. hears(heard) ?? throw new IOException("the test closes it")]);
                    continue;
                }
                if (frame.Type != FrameType.Data || !(AnswersFrames || frame.Has(FrameFlags.EndStream)))
                    continue;
                if (isFirst)
                    Interlocked.Increment(ref asked);
                isFirst = false;
                _ = AnswerAsync(stream, frame.StreamId);
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            open.TryRemove(stream, out _);
            await stream.DisposeAsync();
        }
    }

    private async Task AnswerAsync(Stream stream, int id)
    {
        var number = Interlocked.Increment(ref calls);
        if (Delay > TimeSpan.Zero)
            await Task.Delay(Delay);
        await Release;
        try
        {
            var bytes = Answer(id, number);
            lock (stream)
                stream.Write(bytes);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The client has gone, or the test has killed the connection.
        }
    }
}

/// <summary>What a server has read of one request.</summary>
/// <param name="call">The number of the request, from 1.</param>
/// <param name="stream">The stream of the request.</param>
/// <param name="connection">The connection of the request, numbered from 1 in the order of the accepts.</param>
internal sealed class Heard(int call, int stream, int connection)
{
    private readonly List<byte> rest = [];

    public int Call => call;

    public int Stream => stream;

    public int Connection => connection;

    /// <summary>DATA frames so far.</summary>
    public int Frames { get; private set; }

    /// <summary>Whether the client has ended the request.</summary>
    public bool Ends { get; private set; }

    /// <summary>Whole messages so far.</summary>
    public int Messages { get; private set; }

    /// <summary>The messages that the last frame has completed, with their prefixes.</summary>
    public List<byte[]> Last { get; private set; } = [];

    public void Add(byte[] data, bool ends)
    {
        Frames++;
        Ends = ends;
        Last = [];
        rest.AddRange(data);
        while (rest.Count >= GrpcFraming.PrefixLength)
        {
            GrpcFraming.ReadPrefix([.. rest.Take(GrpcFraming.PrefixLength)], out _, out var length);
            var whole = GrpcFraming.PrefixLength + (int)length;
            if (rest.Count < whole)
                break;
            Last.Add([.. rest.Take(whole)]);
            rest.RemoveRange(0, whole);
            Messages++;
        }
    }
}
