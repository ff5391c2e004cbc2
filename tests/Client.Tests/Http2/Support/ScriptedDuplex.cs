using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>A duplex whose other end is the test: what the client sends is kept, what the server says is delivered at once.</summary>
/// <param name="owner">Who hears the server.</param>
/// <param name="greeting">What the server has said before the first read.</param>
internal sealed class ScriptedDuplex(IDuplexOwner owner, byte[] greeting) : Duplex
{
    private readonly List<byte> sent = [];

    public bool IsClosed { get; private set; }

    /// <summary>Bytes that the client can still send before there is no room; it is told when there is again.</summary>
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

    /// <summary>The client's bytes that were not taken yet.</summary>
    public byte[] TakeSent()
    {
        var bytes = sent.ToArray();
        sent.Clear();
        return bytes;
    }

    /// <summary>The client's frames that were not taken yet; the preface is skipped.</summary>
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

    /// <summary>Set: the next opens fail.</summary>
    public bool Refuses { get; set; }

    /// <summary>What the next ones hear in their first read.</summary>
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
