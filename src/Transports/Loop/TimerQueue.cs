namespace IpcBench.Transports.Loop;

/// <summary>Timers ordered by the time at which they are due, in a binary heap that allocates only when it grows.</summary>
public sealed class TimerQueue
{
    private (long Due, ILoopTimer Timer)[] heap = new (long, ILoopTimer)[16];
    private int count;

    public int Count => count;

    /// <summary>When the first timer is due, in ns of the caller's clock. <see cref="long.MaxValue"/> when there is no timer.</summary>
    public long FirstDue => count == 0 ? long.MaxValue : heap[0].Due;

    public void Add(long due, ILoopTimer timer)
    {
        if (count == heap.Length)
            Array.Resize(ref heap, count * 2);
        var at = count++;
        while (at > 0 && heap[(at - 1) / 2].Due > due)
        {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = (due, timer);
    }

    /// <summary>Takes the first timer if it is due at <paramref name="now"/>.</summary>
    public bool TryTake(long now, out ILoopTimer timer)
    {
        if (count == 0 || heap[0].Due > now)
        {
            timer = null!;
            return false;
        }
        timer = heap[0].Timer;
        var last = heap[--count];
        heap[count] = default;
        if (count > 0)
            SiftDown(last);
        return true;
    }

    private void SiftDown((long Due, ILoopTimer Timer) item)
    {
        var at = 0;
        while (true)
        {
            var child = at * 2 + 1;
            if (child >= count)
                break;
            if (child + 1 < count && heap[child + 1].Due < heap[child].Due)
                child++;
            if (heap[child].Due >= item.Due)
                break;
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = item;
    }
}
