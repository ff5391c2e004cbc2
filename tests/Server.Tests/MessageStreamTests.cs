using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Server.Behaviors;
using IpcBench.Server.BuiltIn;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using Limits = IpcBench.Server.Tests.Support.Limits;

namespace IpcBench.Server.Tests;

/// <summary>Checks Upload and the streaming methods of Bench with .NET's HttpClient and with single frames.</summary>
public class MessageStreamTests
{
    private const string Bench = "/ipcbench.v1.Bench/";

    public static TheoryData<string> AllStacks => [.. Stacks.Names];

    public static MatrixTheoryData<string, string, string> KindsAndStacks => new(Addresses.Kinds, Stacks.Names, Engines.All);

    [Theory]
    [MemberData(nameof(KindsAndStacks))]
    public async Task Every_transport_receives_and_sends_messages_of_every_size(string kind, string stack, string sockets)
    {
        await using var server = await StartAsync(
            new ServerOptions { Sockets = Engines.Of(sockets), Stack = stack }, Addresses.Of(kind));
        using var client = new GrpcClient(server.Address);
        foreach (var size in (int[])[0, 1, 10, 127, 128, 16_383, 16_384, 300_000, 1_000_000])
        {
            var upload = await client.PostAsync(Bench + "Upload", Message(size, 0));
            Assert.Equal(new Received { Bytes = size, Messages = 1 }, Received.Parser.ParseFrom(upload.Message.Span));
            byte[] body = [.. Enumerable.Range(0, 3).SelectMany(number => Message(size, number))];
            // HttpClient reads no answer before it has sent the whole body, so only one large message is sent.
            var sent = size < 20_000 ? body : Message(size, 0);
            var echoed = await client.PostAsync(Bench + "Echo", sent);
            Assert.Equal(GrpcStatusCode.Ok, echoed.Status);
            Assert.Equal(Cut(sent), Cut(echoed.Body));
            var pushed = await client.PostAsync(Bench + "Push", body);
            var took = Received.Parser.ParseFrom(pushed.Message.Span);
            Assert.Equal((3 * size, 3, 3), (took.Bytes, took.Messages, took.Arrivals.Slots.Sum()));
            var asked = GrpcClient.Frame(new PullRequest { Size = size, Messages = 3 });
            var pulled = Cut((await client.PostAsync(Bench + "Pull", asked)).Body);
            Assert.Equal([(0u, size), (1u, size), (2u, size)], pulled.Select(one => (one.Sequence, one.Payload_.Length)));
            Assert.All(pulled, one => Assert.NotEqual(0u, one.Stamp));
        }
        // Each upload counts as a call, and so does each message of a stream.
        Assert.Equal(7 * 10 + 2 * 8, Assert.Single((await client.UsageAsync()).Endpoints).Calls);
    }

    [Theory]
    [InlineData(null, 768 << 10, 1 << 20)] // Kestrel's defaults
    [InlineData(100_000, 100_000, 100_000)]
    public async Task The_flow_control_windows_have_the_given_size_or_else_the_defaults_of_Kestrel(int? asked, uint stream, uint connection)
    {
        await using var server = await StartAsync(new ServerOptions { Http2Window = asked });
        await using var raw = await RawHttp2.ConnectAsync(server.Address);
        var settings = (await raw.ReadUntilAsync(RawHttp2.Settings))!;
        var windows = settings.Chunk(6).Where(setting => setting[1] == 4).Select(setting => Number(setting[2..]));
        Assert.Equal([stream], windows);
        Assert.Equal(connection - 65_535, Number((await raw.ReadUntilAsync(RawHttp2.WindowUpdate))!));

        static uint Number(byte[] bytes) => System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(bytes);
    }

    [Theory]
    [InlineData("Echo", new[] { 1 }, "message 1 arrived instead of message 0")] // the first message is lost
    [InlineData("Echo", new[] { 0, 2 }, "message 2 arrived instead of message 1")]
    [InlineData("Push", new[] { 0, 1, 1 }, "message 1 arrived instead of message 2")] // a message is doubled
    [InlineData("Push", new[] { 0, 2, 1 }, "message 2 arrived instead of message 1")] // messages are reordered
    public async Task A_lost_or_doubled_or_reordered_message_fails_the_call_with_DATA_LOSS(string method, int[] numbers, string words)
    {
        await using var server = await StartAsync(new ServerOptions());
        using var client = new GrpcClient(server.Address);
        var reply = await client.PostAsync(Bench + method, [.. numbers.SelectMany(number => Message(10, number))]);
        Assert.Equal((GrpcStatusCode.DataLoss, words), (reply.Status, Uri.UnescapeDataString(reply.StatusMessage!)));
    }

    [Theory]
    [InlineData("Upload", "", GrpcStatusCode.Internal)]
    [InlineData("Echo", "", GrpcStatusCode.Ok)]
    [InlineData("Push", "", GrpcStatusCode.Ok)]
    [InlineData("Push", "0000", GrpcStatusCode.Internal)]
    [InlineData("Upload", "000000000A09", GrpcStatusCode.Internal)] // ends within its message
    [InlineData("Upload", "0000000000" + "0000000000", GrpcStatusCode.Internal)] // two messages
    [InlineData("Echo", "0100000000", GrpcStatusCode.Internal)] // compressed
    [InlineData("Echo", "0000000002FFFF", GrpcStatusCode.Internal)] // not protobuf
    [InlineData("Push", "00FFFFFFFF", GrpcStatusCode.ResourceExhausted)]
    [InlineData("Push", "0000000005" + "1AFFFFFF7F", GrpcStatusCode.Internal)] // a field beyond its message
    [InlineData("Pull", "0000000000" + "0000000000", GrpcStatusCode.Internal)]
    [InlineData("Pull", "000000000B" + "08FFFFFFFFFFFFFFFFFF01", GrpcStatusCode.InvalidArgument)] // -1 bytes
    [InlineData("Pull", "000000000B" + "28FFFFFFFFFFFFFFFFFF01", GrpcStatusCode.InvalidArgument)] // in messages of -1 bytes
    public async Task An_invalid_message_ends_its_call_and_the_next_call_is_answered(string method, string body, GrpcStatusCode status)
    {
        await using var server = await StartAsync(new ServerOptions());
        using var client = new GrpcClient(server.Address);
        var reply = await client.PostAsync(Bench + method, Convert.FromHexString(body));
        Assert.Equal((200, status), (reply.HttpStatus, reply.Status));
        Assert.Equal(10, (await client.DownloadAsync(10)).Length);
    }

    [Theory]
    [InlineData(100, 30, new[] { 30, 30, 30, 10 })]
    [InlineData(90, 30, new[] { 30, 30, 30 })]
    [InlineData(90, 90, new[] { 90 })]
    [InlineData(90, 91, new[] { 90 })]
    [InlineData(0, 30, new[] { 0 })]
    public async Task A_pulled_payload_in_parts_has_one_stamp_and_counts_once(int size, int chunk, int[] parts)
    {
        foreach (var stack in Stacks.Names)
        {
            await using var server = await StartAsync(new ServerOptions { Stack = stack });
            using var client = new GrpcClient(server.Address);
            var asked = GrpcClient.Frame(new PullRequest { Size = size, Chunk = chunk, Messages = 3, Rate = 1000 });
            var pulled = Cut((await client.PostAsync(Bench + "Pull", asked)).Body);
            Assert.Equal([.. parts, .. parts, .. parts], pulled.Select(one => one.Payload_.Length));
            Assert.Equal(Enumerable.Range(0, 3 * parts.Length), pulled.Select(one => (int)one.Sequence));
            var stamps = pulled.Chunk(parts.Length).Select(payload => payload.Select(one => one.Stamp).Distinct().Single()).ToList();
            Assert.Equal([stamps[0], stamps[0] + 1_000_000, stamps[0] + 2_000_000], stamps);
            Assert.Equal(3, Assert.Single((await client.UsageAsync()).Endpoints).Calls);
        }
    }

    [Theory]
    [MemberData(nameof(AllStacks))]
    public async Task A_server_with_the_largest_possible_size_limit_accepts_messages(string stack)
    {
        await using var server = await StartAsync(new ServerOptions { MaxSize = Options.ByteSize.Most, Stack = stack });
        using var client = new GrpcClient(server.Address);
        foreach (var method in (string[])["Upload", "Push", "Echo"])
            Assert.Equal(GrpcStatusCode.Ok, (await client.PostAsync(Bench + method, Message(10, 0))).Status);
    }

    [Fact]
    public async Task A_payload_above_the_size_limit_fails_with_RESOURCE_EXHAUSTED()
    {
        await using var server = await StartAsync(new ServerOptions { MaxSize = 100_000 });
        using var client = new GrpcClient(server.Address);
        foreach (var method in (string[])["Upload", "Push", "Echo"])
        {
            Assert.Equal(GrpcStatusCode.Ok, (await client.PostAsync(Bench + method, Message(100_000, 0))).Status);
            Assert.Equal(GrpcStatusCode.ResourceExhausted, (await client.PostAsync(Bench + method, Message(100_001, 0))).Status);
        }
    }

    [Fact]
    public async Task A_message_that_arrives_byte_by_byte_in_any_field_order_is_answered()
    {
        await using var server = await StartAsync(new ServerOptions());
        await using var raw = await RawHttp2.ConnectAsync(server.Address);
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(Bench + "Echo"));
        // Payload, an unknown text, sequence 9 and then 0 (the last counts), stamp 7.
        byte[] message = [26, 2, 65, 66, 74, 1, 67, 21, 9, 0, 0, 0, 21, 0, 0, 0, 0, 9, 7, 0, 0, 0, 0, 0, 0, 0];
        foreach (var one in GrpcClient.Frame(message))
        {
            raw.Add(RawHttp2.Data, 0, 1, [one]);
            await raw.FlushAsync();
        }
        var answer = Assert.Single(Cut((await raw.ReadUntilAsync(RawHttp2.Data))!));
        Assert.Equal((7ul, 0u, 2), (answer.Stamp, answer.Sequence, answer.Payload_.Length));
        raw.Add(RawHttp2.Data, RawHttp2.EndStream, 1, Message(3, 1));
        await raw.FlushAsync();
        Assert.Equal(1u, Assert.Single(Cut((await raw.ReadUntilAsync(RawHttp2.Data))!)).Sequence);
        Assert.NotNull(await raw.ReadUntilAsync(RawHttp2.HeadersType)); // the trailers
    }

    // Without back-pressure, the answers to messages that arrived together would all stand in the server's memory.
    [Theory]
    [MemberData(nameof(AllStacks))]
    public async Task The_method_Echo_answers_no_faster_than_the_client_reads(string stack)
    {
        const int messages = 20_000, frame = 16_384, window = 60_000;
        await using var server = await StartAsync(new ServerOptions { Stack = stack });
        await using var raw = await RawHttp2.ConnectAsync(server.Address, initialWindow: 0);
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(Bench + "Echo"));
        byte[] all = [.. Enumerable.Range(0, messages).SelectMany(number => Message(10, number))];
        foreach (var part in all.Chunk(frame))
            raw.Add(RawHttp2.Data, 0, 1, part);
        raw.Add(RawHttp2.Ping, 0, 0, new byte[8]);
        await raw.FlushAsync();
        Assert.NotNull(await raw.ReadUntilAsync(RawHttp2.Ping)); // the server has received all messages
        await StandsStillAsync(server); // the unread answers fill the server's limit
        raw.Add(RawHttp2.WindowUpdate, 0, 1, RawHttp2.Big(window));
        await raw.FlushAsync();
        for (var received = 0; received < window;)
            received += (await raw.ReadUntilAsync(RawHttp2.Data))!.Length;
        await StandsStillAsync(server);
        Assert.InRange(server.Endpoints[0].Counters.Calls, 0, messages / 2); // counted at the end of each read
        foreach (var stream in (int[])[0, 1])
            raw.Add(RawHttp2.WindowUpdate, 0, stream, RawHttp2.Big(1 << 20));
        raw.Add(RawHttp2.Data, RawHttp2.EndStream, 1, []);
        await raw.FlushAsync();
        Assert.NotNull(await raw.ReadUntilAsync(RawHttp2.HeadersType)); // the trailers
        Assert.Equal(messages, server.Endpoints[0].Counters.Calls);
    }

    [Theory]
    [MemberData(nameof(AllStacks))]
    public async Task Hundreds_of_abandoned_endless_pulls_do_not_block_the_server(string stack)
    {
        await using var server = await StartAsync(new ServerOptions { Stack = stack });
        for (var connection = 0; connection < 4; connection++)
        {
            await using var raw = await RawHttp2.ConnectAsync(server.Address);
            for (var stream = 1; stream < 200; stream += 2)
            {
                raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, stream, RawHttp2.Headers(Bench + "Pull"));
                raw.Add(RawHttp2.Data, RawHttp2.EndStream, stream, GrpcClient.Frame(new PullRequest { Size = 10 }));
            }
            await raw.FlushAsync();
            Assert.NotNull(await raw.ReadUntilAsync(RawHttp2.Data));
        }
        await StandsStillAsync(server);
    }

    /// <summary>Waits until the server counts no more calls.</summary>
    private static async Task StandsStillAsync(ServerUnderTest server)
    {
        using var client = new GrpcClient(server.Address);
        using var patience = new CancellationTokenSource(Limits.Wait);
        for (var before = -1L; server.Endpoints[0].Counters.Calls != before; await Task.Delay(50, patience.Token))
        {
            before = server.Endpoints[0].Counters.Calls;
            await client.UsageAsync();
        }
    }

    [Fact]
    public async Task An_endless_pull_keeps_its_rate_and_ends_when_the_client_cancels()
    {
        await using var server = await StartAsync(new ServerOptions());
        await using var raw = await RawHttp2.ConnectAsync(server.Address);
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(Bench + "Pull"));
        raw.Add(RawHttp2.Data, RawHttp2.EndStream, 1, GrpcClient.Frame(new PullRequest { Size = 10, Rate = 1000 }));
        await raw.FlushAsync();
        var bytes = new List<byte>();
        while (Cut(bytes.ToArray()).Count < 50)
            bytes.AddRange((await raw.ReadUntilAsync(RawHttp2.Data))!);
        var now = (ulong)MonotonicClock.NowNs;
        var messages = Cut(bytes.ToArray());
        Assert.Equal(Enumerable.Range(0, messages.Count), messages.Select(one => (int)one.Sequence));
        Assert.All(messages, one => Assert.Equal(messages[0].Stamp + one.Sequence * 1_000_000ul, one.Stamp));
        Assert.InRange(messages[^1].Stamp, messages[0].Stamp, now); // no message comes before its time
        raw.Add(RawHttp2.Reset, 0, 1, RawHttp2.Big(8));
        raw.AddDownload(3, 10);
        await raw.FlushAsync();
        var frame = await raw.ReadAsync();
        while (frame is { StreamId: not 3 })
            frame = await raw.ReadAsync();
        Assert.NotNull(frame); // the connection is open and answers the next call
        using var patience = new CancellationTokenSource(Limits.Wait);
        for (var before = -1L; server.Endpoints[0].Counters.Calls != before; await Task.Delay(50, patience.Token))
            before = server.Endpoints[0].Counters.Calls;
    }

    [Fact]
    public async Task One_of_every_k_messages_is_delayed()
    {
        var behaviors = new EndpointBehaviorOptions { DelayUs = ["20000"], DelayEvery = ["5"] };
        await using var server = await StartAsync(new ServerOptions { Behaviors = behaviors });
        using var client = new GrpcClient(server.Address);
        var times = new List<double>();
        bool IsAnyFast() => times.Where((_, i) => i % 5 != 4).Any(ms => ms < 20);
        // A busy machine may slow many of these messages down, so the test sends more until one is fast.
        using var patience = new CancellationTokenSource(Limits.Wait);
        while (times.Count < 20 || (!IsAnyFast() && !patience.IsCancellationRequested))
        {
            var started = System.Diagnostics.Stopwatch.GetTimestamp();
            await client.PostAsync(Bench + "Echo", Message(10, 0));
            times.Add(System.Diagnostics.Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        }
        Assert.All(times.Where((_, i) => i % 5 == 4), ms => Assert.InRange(ms, 20, double.MaxValue));
        Assert.True(IsAnyFast());
    }

    [Fact]
    public void The_arrival_log_counts_every_message_and_its_latencies_are_within_0_2_percent()
    {
        var (log, random, last, sent) = (new ArrivalLog(), new Random(1), 5_000_000_000L, 0L);
        Assert.Null(log.Told());
        var expected = new List<long>();
        for (var step = 1L; step < 100_000_000_000; step *= 10)
        {
            for (var i = 0; i < 100; i++, sent++)
            {
                last += random.NextInt64(step);
                expected.Add(random.NextInt64(step));
                log.Add((ulong)(last - expected[^1]), last);
            }
        }
        log.Add(0, last); // a message without a send time
        var told = log.Told()!;
        Assert.Equal(sent + 1, told.Slots.Sum());
        Assert.InRange(told.Slots.Count, 500, 1024);
        Assert.InRange(last, told.BeginNs, told.BeginNs + told.Slots.Count * told.SlotNs);
        var times = told.LatencyNs.Zip(told.LatencyCount).SelectMany(pair => Enumerable.Repeat(pair.First, (int)pair.Second)).Order();
        Assert.All(times.Zip(expected.Order(), (time, right) => (time, right)),
            pair => Assert.InRange(pair.time, pair.right * 0.998, pair.right * 1.002));
        Assert.Equal(sent, told.LatencyCount.Sum());
    }

    [Fact]
    public async Task A_delayed_push_message_delays_the_following_messages()
    {
        var behaviors = new EndpointBehaviorOptions { DelayUs = ["20000"], DelayEvery = ["5"] };
        await using var server = await StartAsync(new ServerOptions { Behaviors = behaviors });
        using var client = new GrpcClient(server.Address);
        var stamp = (ulong)MonotonicClock.NowNs;
        var messages = Enumerable.Range(0, 10).Select(number => (Number: (uint)number, Bytes: Message(10, number))).ToList();
        messages.ForEach(message => PayloadFrame.Number(message.Bytes, stamp, message.Number));
        byte[] body = [.. messages.SelectMany(message => message.Bytes)];
        var arrivals = Received.Parser.ParseFrom((await client.PostAsync(Bench + "Push", body)).Message.Span).Arrivals;
        var times = arrivals.LatencyNs.Zip(arrivals.LatencyCount).SelectMany(pair => Enumerable.Repeat(pair.First, (int)pair.Second));
        Assert.Equal((10, 10), (times.Count(), arrivals.Slots.Sum())); // 4 at once, 5 after 20 ms and one after 40 ms, all with one stamp
        Assert.InRange(times.Max() - times.Min(), 39_000_000, long.MaxValue);
        // A slot is about 1 ms long, and longer if a busy machine stretches the arrivals over more than a second.
        Assert.InRange(arrivals.Slots.Skip((int)(18_900_000 / arrivals.SlotNs)).Sum(), 6, 10);
    }

    private static Task<ServerUnderTest> StartAsync(ServerOptions options, Address? listen = null) =>
        ServerUnderTest.StartAsync(options with { Listen = [listen ?? Addresses.Unix()], Stack = options.Stack ?? BuiltInStack.StackName });

    private static byte[] Message(int size, int number)
    {
        var payload = new byte[size];
        PayloadPattern.Fill(payload);
        byte[] message = [.. PayloadFrame.HeadOf(size), .. payload];
        PayloadFrame.Number(message, 1234567, (uint)number);
        var parsed = Payload.Parser.ParseFrom(message.AsSpan(GrpcFraming.PrefixLength));
        Assert.Equal((1234567ul, (uint)number, size), (parsed.Stamp, parsed.Sequence, parsed.Payload_.Length));
        return message;
    }

    private static List<Payload> Cut(byte[] body)
    {
        var messages = new List<Payload>();
        for (var at = 0; at + GrpcFraming.PrefixLength <= body.Length;)
        {
            GrpcFraming.ReadPrefix(body.AsSpan(at), out _, out var length);
            if (body.Length < at + GrpcFraming.PrefixLength + (int)length)
                break;
            messages.Add(Payload.Parser.ParseFrom(body, at + GrpcFraming.PrefixLength, (int)length));
            at += GrpcFraming.PrefixLength + (int)length;
        }
        return messages;
    }
}
