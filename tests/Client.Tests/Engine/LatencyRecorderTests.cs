using IpcBench.Client.Engine;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks what one thread records of its calls. The load starts at 50 ns, the window lasts from 100 to 200 ns.</summary>
public class LatencyRecorderTests
{
    private static readonly CallResult Broken = CallResult.Failed("reset");

    private readonly WindowClock clock = new(50);
    private readonly LatencyRecorder recorder = new();

    public LatencyRecorderTests()
    {
        clock.BeginAt(100);
        clock.EndAt(200);
        Begin();
    }

    [Fact]
    public void Begun_and_ended_calls_are_counted_separately_before_and_in_and_after_the_window()
    {
        long[] times = [60, 70, 99, 100, 110, 120, 130, 199, 200, 201, 202, 203];
        CallPart[] parts = [.. times.Select(sent => recorder.RecordStart(sent, sent))];
        Assert.Equal([.. Times(CallPart.Lead, 3), .. Times(CallPart.Window, 5), .. Times(CallPart.Tail, 4)], parts);
        Assert.Equal((12, 5, 0, 8), (recorder.AllBegun, recorder.Started, recorder.AllEnded, recorder.Crossing));
        Assert.Equal(100, recorder.FirstSentNs);

        recorder.Record(CallPart.Lead, 60, 60, 90, CallResult.Ok(1));
        recorder.Record(CallPart.Lead, 70, 70, 95, Broken);
        recorder.Record(CallPart.Window, 100, 100, 110, CallResult.Ok(10));
        recorder.Record(CallPart.Window, 110, 110, 120, Broken);
        recorder.Record(CallPart.Window, 120, 120, 130, CallResult.CutOff);
        recorder.Record(CallPart.Tail, 200, 200, 210, CallResult.Ok(100));
        recorder.Record(CallPart.Tail, 201, 201, 211, Broken);
        Assert.Equal((2, 3, 7, 3), (recorder.LeadEnded, recorder.Ended, recorder.AllEnded, recorder.Crossing));
        Assert.Equal((1, 1, 1, 1.0), (recorder.Ok, recorder.CutOff, recorder.Completed, recorder.Credited));
        Assert.Equal((3, 111, 211), (recorder.AllOk, recorder.AllBytes, recorder.LastDoneNs));
        Assert.Equal(new ReplySizes(10, 10, 10), recorder.Replies);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1 }, recorder.Failed);
        Assert.Equal((1, 1, 1), (recorder.Latency.Count, recorder.Lead!.Count, recorder.CutOffLatency!.Count));
    }

    [Fact]
    public void A_latency_begins_at_the_due_time_of_a_call_and_a_service_time_at_the_send()
    {
        Begin(new LoadWindow { Rate = 1, Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(1) });
        recorder.Record(CallPart.Lead, 60, 65, 90, CallResult.Ok(1));
        recorder.Record(CallPart.Window, 105, 110, 150, CallResult.Ok(1));
        recorder.Record(CallPart.Window, 120, 127, 190, CallResult.CutOff);
        Assert.Equal(
            (25, 45, 40, 5, 70),
            (recorder.Lead!.Sum, recorder.Latency.Sum, recorder.ServiceTime!.Sum, recorder.SendLateness!.Sum, recorder.CutOffLatency!.Sum));
    }

    [Theory]
    [InlineData(99, null)]
    [InlineData(100, 100L)]
    [InlineData(150, 50L)]
    [InlineData(199, 1L)]
    [InlineData(200, null)]
    public void A_call_due_in_the_window_but_sent_afterwards_counts_as_a_wait_until_the_windows_end(long due, long? wait)
    {
        Assert.Equal(CallPart.Tail, recorder.RecordStart(due, 250));
        Assert.Equal((wait, wait is null ? (long?)null : 1), (recorder.SentAfter?.Sum, recorder.SentAfter?.Count));
    }

    [Fact]
    public void A_call_has_no_credit_if_the_end_of_the_window_moves_to_before_the_call()
    {
        var clock = new WindowClock(0);
        clock.BeginAt(100);
        recorder.Begin(clock, TestWindow);
        var part = recorder.RecordStart(150, 150);
        clock.EndAt(140);
        recorder.Record(part, 150, 150, 160, CallResult.Ok(1));
        Assert.Equal((1, 0, 0.0), (recorder.Ok, recorder.Completed, recorder.Credited));
    }

    [Fact]
    public void A_message_that_is_only_written_has_no_latency_and_does_not_count_as_completed()
    {
        Begin(new LoadWindow { Rate = 1, Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(1) });
        recorder.RecordWritten(CallPart.Lead, 60, 65, 90, CallResult.Ok(1));
        recorder.RecordWritten(CallPart.Lead, 70, 75, 95, Broken);
        recorder.RecordWritten(CallPart.Lead, 70, 75, 95, Broken);
        recorder.RecordWritten(CallPart.Window, 105, 110, 150, CallResult.Ok(10));
        recorder.RecordWritten(CallPart.Window, 120, 127, 190, CallResult.CutOff);
        recorder.RecordWritten(CallPart.Tail, 200, 205, 210, CallResult.Ok(100));
        recorder.RecordWritten(CallPart.Tail, 200, 205, 212, Broken);
        Assert.Equal((3, 2, 7), (recorder.LeadEnded, recorder.Ended, recorder.AllEnded));
        Assert.Equal((1, 1, 0, 0.0), (recorder.Ok, recorder.CutOff, recorder.Completed, recorder.Credited));
        Assert.Equal((3, 111, 212), (recorder.AllOk, recorder.AllBytes, recorder.LastDoneNs));
        Assert.Empty(recorder.Failed);
        Assert.Equal(
            (25, 0, 5, 70),
            (recorder.Lead!.Sum, recorder.Latency.Count, recorder.SendLateness!.Sum, recorder.CutOffLatency!.Sum));
    }

    [Fact]
    public void Messages_without_a_receipt_count_as_not_received()
    {
        for (var i = 0; i < 4; i++)
            recorder.RecordWritten(CallPart.Window, 105, 110, 150, CallResult.Ok(10));
        recorder.RecordUnreceived(0);
        Assert.Empty(recorder.Failed);
        recorder.RecordUnreceived(2);
        recorder.RecordUnreceived(1);
        Assert.Equal((1, 1), (recorder.Ok, recorder.AllOk));
        Assert.Equal(new Dictionary<string, long> { ["not received"] = 3 }, recorder.Failed);
    }

    [Fact]
    public void Messages_of_a_receipt_count_by_the_part_of_each_time_slot_inside_the_window()
    {
        recorder.RecordReceipt(new Receipt(80, 40, [10, 20, 30, 40], [(7, 5), (9, 1)]), 300);
        // Half of the first slot, all of the next two, nothing of the last, which begins at the window's end.
        Assert.Equal((55.0, 55, 55), (recorder.Credited, recorder.Completed, recorder.Buckets[0]));
        Assert.Equal((6, 44, 300), (recorder.Latency.Count, recorder.Latency.Sum, recorder.LastDoneNs));
        recorder.RecordReceipt(new Receipt(150, 200, [8], []), 250);
        Assert.Equal((57.0, 57, 300), (recorder.Credited, recorder.Completed, recorder.LastDoneNs));
    }

    [Fact]
    public void All_messages_of_a_time_slot_count_in_the_bucket_in_which_the_slot_begins()
    {
        Unended();
        recorder.RecordReceipt(new Receipt(100 + 150_000_000, 50_000_000, [4, 6, 8], []), 0);
        Assert.Equal([0, 4, 14], recorder.Buckets[..3].ToArray());
        Assert.Equal(18, recorder.Completed);
    }

    [Theory]
    [InlineData(150L, 160, "Window", 10L, 1)]
    [InlineData(150L, 200, "Window", 50L, 1)]
    [InlineData(150L, 201, "Window", 51L, 0)]
    [InlineData(null, 160, "Window", null, 1)]
    [InlineData(90L, 100, "Lead", null, 0)]
    [InlineData(90L, 101, "Lead", null, 1)]
    [InlineData(250L, 260, "Tail", null, 0)]
    public void A_message_counts_by_its_due_time_and_is_completed_at_its_arrival(
        long? due, long now, string part, long? latency, int completed)
    {
        Assert.Equal(part, recorder.RecordArrival(due, now, CallResult.Ok(10)).ToString());
        Assert.Equal(latency is null ? (0L, 0L) : (1L, latency.Value), (recorder.Latency.Count, recorder.Latency.Sum));
        Assert.Equal((completed, (double)completed), (recorder.Completed, recorder.Credited));
        Assert.Equal(part == "Window" ? 1 : 0, recorder.Ok);
        recorder.RecordArrival(due, now, Broken);
        Assert.Equal((completed, latency is null ? 0 : 1, 1), (recorder.Completed, recorder.Latency.Count, recorder.AllOk));
        Assert.Equal(part == "Window" ? 1 : 0, recorder.Failed.GetValueOrDefault("reset"));
    }

    [Fact]
    public void A_stream_that_ends_with_an_error_is_one_more_failed_call()
    {
        recorder.RecordEnd(130, Broken);
        recorder.RecordEnd(140, CallResult.CutOff);
        Assert.Equal((2, 2, 1, 130, 140), (recorder.Started, recorder.Ended, recorder.CutOff, recorder.FirstSentNs, recorder.LastDoneNs));
        Assert.Equal((1, 0), (recorder.CutOffLatency!.Count, recorder.CutOffLatency.Sum));
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1 }, recorder.Failed);
    }

    [Fact]
    public void A_window_of_counted_calls_has_buckets_of_100_ms_for_at_most_one_hour()
    {
        Unended();
        long[] ms = [99, 100, 1_100, 102_399, 102_400, 250_000, 3_599_900, 7_200_000];
        foreach (var done in ms)
            recorder.Record(CallPart.Window, 110, 110, 100 + done * 1_000_000, CallResult.Ok(10));
        Assert.Equal(36_000, recorder.Buckets.Length);
        Assert.Equal(
            [1, 1, 1, 1, 1, 1, 2],
            ((int[])[0, 1, 11, 1023, 1024, 2500, 35_999]).Select(bucket => recorder.Buckets[bucket]));
        recorder.Begin(clock, TestWindow with { Duration = TimeSpan.FromHours(2) });
        Assert.Equal(36_000, recorder.Buckets.Length);
        recorder.Begin(clock, TestWindow with { Duration = TimeSpan.FromMilliseconds(50) });
        recorder.Record(CallPart.Window, 110, 110, 120, CallResult.Ok(10));
        Assert.Equal(1, recorder.Buckets[0]);
    }

    [Fact]
    public void A_new_window_resets_the_counts_of_the_last_window()
    {
        var counted = new LoadWindow { Calls = 9, Rate = 1 };
        Begin(counted);
        recorder.Record(recorder.RecordStart(60, 60), 60, 60, 150, CallResult.Ok(10));
        recorder.Record(recorder.RecordStart(110, 120), 110, 120, 300, CallResult.Ok(10));
        recorder.Record(recorder.RecordStart(110, 120), 110, 120, 130, CallResult.CutOff);
        recorder.Record(recorder.RecordStart(110, 250), 110, 250, 260, Broken);
        recorder.RecordEnd(280, Broken);
        recorder.RecordReceipt(new Receipt(110, 10, [5], [(7, 5)]), 290);
        Begin(counted);
        Assert.All(
            (double[])
            [
                recorder.Started, recorder.Ended, recorder.Ok, recorder.CutOff, recorder.Completed, recorder.Credited, recorder.AllBytes,
                recorder.AllBegun, recorder.AllEnded, recorder.LeadEnded, recorder.Crossing, recorder.Latency.Count,
                recorder.ServiceTime!.Count, recorder.SendLateness!.Count, recorder.Failed.Count, recorder.Buckets[0],
            ],
            count => Assert.Equal(0, count));
        Assert.Equal(50, recorder.LastDoneNs);
        Assert.All([recorder.Lead, recorder.SentAfter, recorder.CutOffLatency], one => Assert.Null(one));
        Assert.Equal(new ReplySizes(0, long.MaxValue, 0), recorder.Replies);
        Assert.Equal(2, recorder.AllOk); // over all windows
        Begin();
        Assert.Equal(0, recorder.Lead!.Count);
        Assert.All([recorder.ServiceTime, recorder.SendLateness], one => Assert.Null(one));
    }

    [Fact]
    public void The_smallest_and_the_largest_reply_and_the_sum_of_all_replies_are_kept()
    {
        var (one, other) = (ReplySizes.None, ReplySizes.None);
        Assert.Equal(ReplySizes.None, one + other);
        foreach (var bytes in (long[])[20, 10, 30])
            one.Add(bytes);
        other.Add(5);
        Assert.Equal((new ReplySizes(60, 10, 30), new ReplySizes(65, 5, 30)), (one, one + other));
        Assert.Equal(new ReplySizes(65, 5, 30), other + one);
    }

    [Fact]
    public void The_end_of_a_window_is_moved_to_an_earlier_time_but_never_to_a_later_time()
    {
        var clock = new WindowClock(7);
        Assert.Equal((7, long.MaxValue, long.MaxValue, long.MaxValue), (clock.StartNs, clock.BeginNs, clock.EndNs, clock.StopNs));
        foreach (var ns in (long[])[100, 200, 90])
        {
            clock.EndAt(ns);
            clock.StopAt(ns + 1);
        }
        Assert.Equal((90, 91), (clock.EndNs, clock.StopNs));
    }

    private static LoadWindow TestWindow => new() { Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(1) };

    private static IEnumerable<CallPart> Times(CallPart part, int count) => Enumerable.Repeat(part, count);

    private void Begin(LoadWindow? window = null) => recorder.Begin(clock, window ?? TestWindow);

    /// <summary>Begins a window that ends after a number of calls.</summary>
    private void Unended()
    {
        var clock = new WindowClock(50);
        clock.BeginAt(100);
        recorder.Begin(clock, new LoadWindow { Calls = 9 });
    }
}
