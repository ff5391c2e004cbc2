using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks what is read from connections besides their calls: bytes, connects, blocked time and error messages.</summary>
public class WindowReadingsTests
{
    [Fact]
    public void Only_bytes_that_arrived_in_the_window_count()
    {
        var (one, other) = (new Counted(1000, 3, 7, new(1, 2, 3)), new Counted(500, 1, 5, new(10, 20, 30)) { Closed = true });
        var (log, notes, edges) = (new ConnectLog(), new FailureNotes(), new Edges());
        log.Record(99);
        notes.Add("reset", "before the window");
        var readings = Readings([one, other], log, notes, edges);
        one.Add(80);
        other.Add(20);
        Assert.False(readings.HasBegun);
        readings.OnBegin();
        Assert.True(readings.HasBegun);
        Assert.Empty(readings.FailureMessages);
        one.Add(300);
        other.Add(100);
        (one.Died, other.Died, other.Closed) = (5, 2, false);
        (one.Waited, other.Waited) = (new(2, 4, 6), new(11, 23, 35));
        log.Record(5);
        notes.Add("reset", "inside");
        readings.OnEnd();
        one.Add(100);
        one.Waited = new(1000, 1000, 1000);

        Assert.Equal(400, readings.Received);
        Assert.Equal(400 * 0.5, readings.Payload(300)); // half of the 600 bytes that came from the load's start to its end
        Assert.Equal(new BlockedTime(2, 5, 8), readings.Blocked);
        Assert.Equal("inside", readings.FailureMessages["reset"]);
        Assert.Equal((1, 1), (edges.Begins, edges.Ends));
        var stats = readings.Stats([4, 6]);
        Assert.Equal((1, 3, 9, 1), (stats.Opened, stats.Reopened, stats.ConnectRetries, stats.OpenedInAll));
        Assert.Equal(5L, stats.StreamsAllowed);
        Assert.Equal([5, 5, 5, 5], stats.ConnectTimesNs);
    }

    [Fact]
    public void At_each_edge_the_CPU_times_are_read_nearer_to_the_window_than_the_connections()
    {
        var order = new List<string>();
        var readings = Readings([new Counted(1, 0, 7, null) { Asked = () => order.Add("sum") }], edges: new Ordered(order));
        order.Clear(); // the sum before the load
        readings.OnBegin();
        readings.OnEnd();
        // Several sums read the connection, one after the other.
        var steps = order.Where((what, at) => at == 0 || order[at - 1] != what);
        Assert.Equal(["prepare", "sum", "begin", "end", "sum", "complete"], steps);
    }

    [Fact]
    public void Uncounted_bytes_are_null_and_not_zero()
    {
        var readings = Readings([new Counted(1, 0, null, new(1, 2, 3)), new Counted(null, 0, null, null)]);
        readings.OnBegin();
        readings.OnEnd();
        Assert.Null(readings.Received);
        Assert.Null(readings.Payload(10));
        Assert.Null(readings.Blocked);
        Assert.Empty(readings.FailureMessages);
        var stats = readings.Stats([1, 1]);
        Assert.Null(stats.StreamsAllowed);
        Assert.Null(stats.OpenedInAll);
        Assert.Equal([11, 12, 12, 12], stats.ConnectTimesNs); // the connect times of the ramp: 11 and 12
    }

    [Fact]
    public void The_share_of_payload_is_unknown_until_at_least_one_byte_was_received()
    {
        var connection = new Counted(1000, 0, null, null);
        var readings = Readings([connection]);
        readings.OnBegin();
        Assert.Null(readings.Payload(10));
        connection.Add(1);
        readings.OnEnd();
        Assert.Equal(1, readings.Payload(1));
        Assert.Equal(1, readings.Received);
    }

    [Fact]
    public void A_window_in_which_no_call_connected_reports_0_connects()
    {
        var readings = Readings([new Counted(0, 0, null, null)], new ConnectLog());
        readings.OnBegin();
        Assert.Equal(0, readings.Stats([0]).OpenedInAll);
        readings.OnEnd();
        Assert.Empty(readings.Stats([0]).ConnectTimesNs);
    }

    [Fact]
    public void Connect_times_have_percentiles_and_are_reset_with_each_window()
    {
        var log = new ConnectLog();
        Assert.Empty(log.Percentiles());
        for (var ns = 201; ns > 0; ns--)
            log.Record(ns);
        Assert.Equal(201, log.Count);
        Assert.Equal([101, 181, 199, 201], log.Percentiles());
        log.Begin();
        Assert.Equal(0, log.Count);
        Assert.Empty(log.Percentiles());
    }

    [Fact]
    public void Connections_without_calls_are_not_active_and_connect_times_have_percentiles()
    {
        var stats = ConnectionCounts.Compute([0, 4, 1, 6], opened: 3, reopened: 2, retries: 1, [.. Enumerable.Range(1, 201)]);
        Assert.Equal((4, 3, 3, 2, 1), (stats.Requested, stats.Opened, stats.Active, stats.Reopened, stats.ConnectRetries));
        Assert.Equal((0, 6), (stats.FewestCalls, stats.MostCalls));
        Assert.Equal(121.0 / (4 * 53), stats.Fairness);
        Assert.Equal([101, 181, 199, 201], stats.ConnectTimesNs);
        Assert.Empty(ConnectionCounts.Compute([1], 1, 0, 0, []).ConnectTimesNs);
    }

    [Fact]
    public void Blocked_times_are_added_and_subtracted_separately()
    {
        BlockedTime one = new(1, 20, 300), other = new(7, 50, 900);
        Assert.Equal((new BlockedTime(8, 70, 1200), new BlockedTime(6, 30, 600)), (one + other, other - one));
    }

    [Fact]
    public void Only_the_first_message_of_each_kind_of_failure_is_kept_on_one_line_without_secrets()
    {
        var notes = new FailureNotes(["hunter2", "key"]);
        Assert.False(notes.Has("status 7"));
        notes.Add("status 7", "\tno hunter2,\n no key \u001b[31m");
        notes.Add("status 7", "another");
        notes.Add("status 13", new string('x', 200));
        notes.Add("reset", new string('x', 201));
        Assert.True(notes.Has("status 7"));
        Assert.Equal(
            [("reset", new string('x', 200) + "…"), ("status 13", new string('x', 200)), ("status 7", "no (hidden),  no (hidden)  [31m")],
            notes.First().Select(note => (note.Key, note.Value)));
        notes.Begin();
        Assert.False(notes.Has("status 7"));
        Assert.Empty(notes.First());
    }

    private static WindowReadings Readings(
        IReadOnlyList<IConnection> connections, ConnectLog? log = null, FailureNotes? notes = null, IWindowEdges? edges = null) =>
        new(connections, new ConnectionSource(_ => null!, UsesLoops: false, () => 9, log, notes), [11, 12], edges) { OkBefore = 0 };

    private sealed class Edges : IWindowEdges
    {
        public int Begins { get; private set; }

        public int Ends { get; private set; }

        public void OnBegin() => Begins++;

        public void OnEnd() => Ends++;
    }

    private sealed class Ordered(List<string> order) : IWindowEdges
    {
        public void BeforeBegin() => order.Add("prepare");

        public void OnBegin() => order.Add("begin");

        public void OnEnd() => order.Add("end");

        public void AfterEnd() => order.Add("complete");
    }

    /// <summary>A connection whose counters the test sets.</summary>
    private sealed class Counted(long? bytes, int died, long? allowed, BlockedTime? waited) : FakeConnection
    {
        private long? bytes = bytes;

        public bool Closed { get; set; }

        public int Died { get; set; } = died;

        public BlockedTime? Waited { get; set; } = waited;

        public override IReadOnlyList<IStream> Streams => [];

        public override bool IsOpen => !Closed;

        public override int Reopened => Died;

        public override long? StreamsAllowed => allowed;

        public Action Asked { get; init; } = () => { };

        public override long? BytesReceived
        {
            get
            {
                Asked();
                return bytes;
            }
        }

        public override BlockedTime? Blocked => Waited;

        public void Add(long more) => bytes += more;
    }
}
