using IpcBench.Http2;

namespace IpcBench.Client.CalibrationServer;

/// <summary>
/// What one connection still has to send, in order, as far as the other side's windows allow. A ring: no allocation per call.
/// </summary>
internal sealed class ReplyQueue
{
    private Item[] ring = new Item[4];
    private int head;
    private int count;
    private long window = Http2Settings.DefaultWindow;
    private long initialWindow = Http2Settings.DefaultWindow;

    /// <summary>The other side's window for a new stream.</summary>
    public long InitialWindow => initialWindow;

    public void Add(byte[] raw) => Add(new Item { Raw = raw, End = raw.Length });

    public void Add(CannedReply reply, int stream) =>
        Add(new Item { Reply = reply, Stream = stream, End = reply.Length, Window = initialWindow });

    /// <summary>Stream 0 is the connection.</summary>
    public void Credit(int stream, int increment)
    {
        if (stream == 0)
            window += increment;
        for (var i = 0; stream != 0 && i < count; i++)
        {
            ref var item = ref At(i);
            if (item.Stream == stream)
                item.Window += increment;
        }
    }

    public void SetInitialWindow(long value)
    {
        for (var i = 0; i < count; i++)
            At(i).Window += value - initialWindow;
        initialWindow = value;
    }

    /// <summary>Ends a reply after the frame it is in.</summary>
    public void Cancel(int stream)
    {
        for (var i = 0; i < count; i++)
        {
            ref var item = ref At(i);
            if (item.Stream == stream && item.Raw is null)
                item.End = item.Granted;
        }
    }

    /// <summary>Writes what may be sent now and forgets it.</summary>
    /// <returns>Bytes written; 0 when there is nothing to send or nothing may be sent.</returns>
    public int Fill(Span<byte> into)
    {
        var written = 0;
        while (count > 0 && written < into.Length)
        {
            ref var item = ref ring[head];
            if (item.Raw is null)
                Grant(ref item, into.Length - written);
            var length = Math.Min((item.Raw is null ? item.Granted : item.End) - item.Position, into.Length - written);
            if (item.Raw is { } raw)
                raw.AsSpan(item.Position, length).CopyTo(into[written..]);
            else
                item.Reply!.Copy(item.Position, into.Slice(written, length), item.Stream);
            item.Position += length;
            written += length;
            if (item.Position < item.End && length == 0)
                break;
            if (item.Position >= item.End)
                Remove();
        }
        return written;
    }

    // A frame is granted whole: its bytes are taken from both windows before its first byte leaves.
    private void Grant(ref Item item, int wanted)
    {
        while (item.Granted < item.End && item.Granted - item.Position < wanted)
        {
            var (end, data) = item.Reply!.FrameAt(item.Granted);
            if (data > window || data > item.Window)
                return;
            window -= data;
            item.Window -= data;
            item.Granted = end;
        }
    }

    private void Add(Item item)
    {
        if (count == ring.Length)
            Grow();
        ring[(head + count++) & (ring.Length - 1)] = item;
    }

    private void Remove()
    {
        ring[head] = default;
        head = (head + 1) & (ring.Length - 1);
        count--;
    }

    private void Grow()
    {
        var larger = new Item[ring.Length * 2];
        for (var i = 0; i < count; i++)
            larger[i] = At(i);
        (ring, head) = (larger, 0);
    }

    private ref Item At(int index) => ref ring[(head + index) & (ring.Length - 1)];

    private struct Item
    {
        public byte[]? Raw;
        public CannedReply? Reply;
        public int Stream;
        public int Position;
        public int Granted;
        public int End;
        public long Window;
    }
}
