using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>A duplex whose other side is the test. The client's bytes are kept, and the server's bytes are delivered at once.</summary>
/// <param name="owner">The receiver of the server's bytes.</param>
/// <param name="greeting">The server's bytes that the first read returns.</param>
internal sealed class ScriptedDuplex(IDuplexOwner owner, byte[] greeting) : Duplex
{
    private readonly List<byte> sent = [];

    public bool IsClosed { get; private set; }

    /// <summary>The number of bytes that the client can still send. The client is notified when there is room again.</summary>
    public int Room
    {
        get;
        set
        {
            var (had, none) = (field, field == 0);
            field = value;
            if (none && value > had)
                owner.OnRoom(this);
        }
    } = int.MaxValue;

    /// <summary>Takes the client's bytes that were not taken yet.</summary>
    public byte[] TakeSent()
    {
        var bytes = sent.ToArray();
        sent.Clear();
        return bytes;
    }

    /// <summary>Takes the client's frames that were not taken yet, without the preface.</summary>
    public List<(FrameHeader Header, byte[] Payload)> TakeFrames()
    {
        var bytes = TakeSent().AsSpan();
        return Frames.Cut(bytes.StartsWith(FrameWriter.Preface) ? bytes[FrameWriter.Preface.Length..] : bytes);
    }

    public void Deliver(params byte[] bytes)
    {
        if (!IsClosed)
            owner.OnBytes(this, bytes);
    }

    public void End(string reason = "the end") => owner.OnEnd(this, reason);

    public override void Start()
    {
        if (greeting.Length > 0)
            Deliver(greeting);
    }

    public override void Flush(OutputBuffer output)
    {
        var bytes = new byte[Math.Min(output.Length, Room)];
        output.CopyTo(bytes);
        sent.AddRange(bytes);
        output.Sent(bytes.Length);
        if (Room < int.MaxValue)
            Room -= bytes.Length;
    }

    public override void Close() => IsClosed = true;
}

/// <summary>Opens scripted duplexes, one after the other.</summary>
internal sealed class ScriptedDialer(bool usesLoops = true) : Dialer(usesLoops)
{
    public List<ScriptedDuplex> Opened { get; } = [];

    /// <summary>Whether the next opens fail.</summary>
    public bool Refuses { get; set; }

    /// <summary>The bytes that the next duplexes receive in their first read.</summary>
    public byte[] Greeting { get; set; } = [];

    public override long Retries => 0;

    public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation)
    {
        if (Refuses)
            throw new IOException("refused");
        var duplex = new ScriptedDuplex(owner, Greeting);
        Opened.Add(duplex);
        return new(duplex);
    }
}
