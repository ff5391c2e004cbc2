using IpcBench.Server.Services;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

public class WholeRepliesTests
{
    private const long Limit = 1_000_000;

    private static readonly TimeSpan Never = TimeSpan.FromHours(1);

    private readonly WriteBudget budget = new(part: 100_000, Limit);

    [Fact]
    public async Task Replies_beyond_the_memory_budget_wait_until_another_reply_is_disposed()
    {
        var replies = new WholeReplies(budget, Never);
        var first = await TakeAsync(replies, 600_000);
        var second = TakeAsync(replies, 600_000);
        var third = TakeAsync(replies, 100_000);
        await Task.Delay(50);
        Assert.False(second.IsCompleted || third.IsCompleted);
        first!.Dispose();
        using var room = await second.WaitAsync(Limits.Wait);
        using var beside = await third.WaitAsync(Limits.Wait);
    }

    [Fact]
    public async Task A_small_reply_never_waits_and_an_oversized_reply_takes_the_whole_budget()
    {
        var replies = new WholeReplies(budget, Never);
        using (await TakeAsync(replies, 5 * Limit))
        {
            Assert.Null(await TakeAsync(replies, WriteBudget.Free).WaitAsync(Limits.Wait));
            Assert.False(budget.TryTakeWhole(1));
        }
        Assert.True(budget.TryTakeWhole(Limit));
    }

    [Fact]
    public async Task Replies_in_parts_and_whole_replies_share_the_budget()
    {
        var replies = new WholeReplies(budget, Never);
        Assert.Equal(900_000, budget.Take(900_000));
        var whole = TakeAsync(replies, 200_000);
        await Task.Delay(50);
        Assert.False(whole.IsCompleted);
        budget.Return(900_000);
        using (await whole.WaitAsync(Limits.Wait))
            Assert.True(budget.Take(900_000) < 900_000);
    }

    [Fact]
    public async Task A_client_that_reads_nothing_is_disconnected_only_while_another_call_waits()
    {
        var cutOff = 0;
        var replies = new WholeReplies(budget, TimeSpan.FromMilliseconds(1));
        var stalled = await replies.TakeAsync(Limit, () => cutOff++, CancellationToken.None);
        await Task.Delay(50);
        Assert.Equal(0, cutOff);
        var next = replies.TakeAsync(Limit, () => Assert.Fail("it has just come"), CancellationToken.None).AsTask();
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (Volatile.Read(ref cutOff) == 0)
            await Task.Delay(5, limit.Token);
        stalled!.Dispose();
        stalled.Dispose();
        using (await next.WaitAsync(Limits.Wait))
            Assert.False(budget.TryTakeWhole(1));
        Assert.Equal(1, cutOff);
    }

    [Fact]
    public async Task A_cancelled_call_gives_up_its_place_in_the_queue()
    {
        var replies = new WholeReplies(budget, Never);
        var first = await TakeAsync(replies, Limit);
        using var end = new CancellationTokenSource();
        var givenUp = replies.TakeAsync(Limit, () => { }, end.Token).AsTask();
        var next = TakeAsync(replies, Limit);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givenUp.WaitAsync(Limits.Wait));
        Assert.False(next.IsCompleted);
        first!.Dispose();
        using var room = await next.WaitAsync(Limits.Wait);
    }

    private static Task<IDisposable?> TakeAsync(WholeReplies replies, long bytes) =>
        replies.TakeAsync(bytes, () => Assert.Fail("nobody is cut off here"), CancellationToken.None).AsTask();
}
