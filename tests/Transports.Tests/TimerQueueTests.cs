using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

public class TimerQueueTests
{
    [Fact]
    public void Timers_are_taken_in_the_order_of_their_due_times()
    {
        var random = new Random(1);
        var queue = new TimerQueue();
        var dues = Enumerable.Range(0, 500).Select(_ => (long)random.Next(100)).ToList();
        foreach (var due in dues)
            queue.Add(due, new Timer(due));
        var taken = new List<long>();
        while (queue.TryTake(49, out var timer))
            taken.Add(((Timer)timer).Due);
        Assert.Equal(dues.Where(due => due <= 49).Order(), taken);
        Assert.Equal(dues.Where(due => due > 49).Min(), queue.FirstDue);
        while (queue.TryTake(long.MaxValue, out var timer))
            taken.Add(((Timer)timer).Due);
        Assert.Equal(dues.Order(), taken);
        Assert.Equal(long.MaxValue, queue.FirstDue);
    }

    private sealed class Timer(long due) : ILoopTimer
    {
        public long Due => due;

        public void OnDue()
        {
        }
    }
}
