using System.Buffers.Binary;
using System.Text;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>A client that writes HTTP/2 frames one by one and may write any nonsense.</summary>
internal sealed class RawHttp2(Stream stream) : IAsyncDisposable
{
    public const byte Data = 0, HeadersType = 1, Reset = 3, Settings = 4, Ping = 6, GoAway = 7, WindowUpdate = 8, Continuation = 9;
    public const byte EndStream = 1, Ack = 1, EndHeaders = 4;
    public const int ManyStreams = 100;

    private static readonly byte[] Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    private readonly List<byte> pending = [];

    /// <summary>Connects and sends the preface; <paramref name="initialWindow"/> is the window of each stream in bytes.</summary>
    public static async Task<RawHttp2> ConnectAsync(Address address, uint? initialWindow = null)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        var raw = new RawHttp2(await Connector.For(address, new ConnectorOptions()).ConnectAsync(limit.Token));
        raw.pending.AddRange(Preface);
        raw.Add(Settings, 0, 0, initialWindow is { } window ? [0, 4, .. Big(window)] : []);
        await raw.FlushAsync();
        return raw;
    }

    public void Add(byte type, byte flags, int streamId, ReadOnlySpan<byte> payload)
    {
        pending.AddRange([(byte)(payload.Length >> 16), (byte)(payload.Length >> 8), (byte)payload.Length, type, flags]);
        pending.AddRange(Big((uint)streamId));
        pending.AddRange(payload);
    }

    /// <summary>Queues a whole call of Download.</summary>
    public void AddDownload(int streamId, long size)
    {
        Add(HeadersType, EndHeaders, streamId, Headers(GrpcClient.Download));
        Add(Data, EndStream, streamId, GrpcClient.Frame(new DownloadRequest { Size = size }));
    }

    /// <summary>Writes the queued frames.</summary>
    public async Task FlushAsync()
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        var bytes = pending.ToArray();
        pending.Clear();
        await stream.WriteAsync(bytes, limit.Token);
    }

    /// <summary>Writes the queued frames. False when the server has closed the connection or accepts no more bytes.</summary>
    public async Task<bool> TryFlushAsync(TimeSpan patience)
    {
        using var limit = new CancellationTokenSource(patience);
        var bytes = pending.ToArray();
        pending.Clear();
        try
        {
            await stream.WriteAsync(bytes, limit.Token);
            return true;
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            return false;
        }
    }

    /// <summary>Reads the next frame. Null when the server has closed the connection.</summary>
    public async Task<(byte Type, byte Flags, int StreamId, byte[] Payload)?> ReadAsync()
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        try
        {
            var head = new byte[9];
            await stream.ReadExactlyAsync(head, limit.Token);
            var payload = new byte[(head[0] << 16) | (head[1] << 8) | head[2]];
            await stream.ReadExactlyAsync(payload, limit.Token);
            return (head[3], head[4], BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(5)) & int.MaxValue, payload);
        }
        catch (Exception e) when (e is IOException or EndOfStreamException)
        {
            return null;
        }
    }

    /// <summary>Reads until a frame of this type arrives. Null when the server closes the connection first.</summary>
    public async Task<byte[]?> ReadUntilAsync(byte type)
    {
        while (await ReadAsync() is { } frame)
        {
            if (frame.Type == type)
                return frame.Payload;
        }
        return null;
    }

    /// <summary>Reads the error code of the server's GOAWAY. Null when the server closes the connection without GOAWAY.</summary>
    public async Task<uint?> ReadGoAwayAsync() =>
        await ReadUntilAsync(GoAway) is { } payload ? BinaryPrimitives.ReadUInt32BigEndian(payload.AsSpan(4)) : null;

    /// <summary>Makes a header block of literals for a gRPC request, with <paramref name="more"/> headers.</summary>
    public static byte[] Headers(string path, params (string Name, string Value)[] more)
    {
        var block = new List<byte>();
        (string, string)[] all =
        [
            (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
            ("content-type", "application/grpc"), ("te", "trailers"), .. more,
        ];
        foreach (var (name, value) in all)
            AddLiteral(block, name, value);
        return [.. block];
    }

    /// <summary>Adds a literal header, by default without an entry in the dynamic table.</summary>
    public static void AddLiteral(List<byte> block, string name, string value, byte representation = 0)
    {
        block.Add(representation);
        AddText(block, name);
        AddText(block, value);
    }

    public static byte[] Big(uint value)
    {
        var bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes;
    }

    /// <summary>Opens connections with the largest windows, and calls on them, and reads no reply.</summary>
    public static async Task<List<RawHttp2>> AskWithoutReadingAsync(Address address, int connections, int size, int calls = ManyStreams)
    {
        var clients = new List<RawHttp2>();
        for (var connection = 0; connection < connections; connection++)
        {
            var raw = await ConnectAsync(address, initialWindow: int.MaxValue);
            raw.Add(WindowUpdate, 0, 0, Big(int.MaxValue - 65_535));
            for (var call = 0; call < calls; call++)
                raw.AddDownload((2 * call) + 1, size);
            await raw.FlushAsync();
            clients.Add(raw);
        }
        return clients;
    }

    public ValueTask DisposeAsync() => stream.DisposeAsync();

    private static void AddText(List<byte> block, string text)
    {
        const int prefix = 127;
        var length = text.Length;
        if (length < prefix)
        {
            block.Add((byte)length);
        }
        else
        {
            block.Add(prefix);
            for (length -= prefix; length >= 128; length >>= 7)
                block.Add((byte)(length & 0x7F | 0x80));
            block.Add((byte)length);
        }
        block.AddRange(Encoding.ASCII.GetBytes(text));
    }
}
