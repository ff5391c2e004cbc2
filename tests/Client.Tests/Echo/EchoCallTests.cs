using System.Text;
using IpcBench.Client.Engine;
using IpcBench.Client.Experiments.Echo;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Echo;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Echo;

public class EchoCallTests
{
    [Theory]
    [InlineData("tcp", 1, 1)]
    [InlineData("tcp", 16_384, 8)]
    [InlineData("unix", 1, 64)]
    [InlineData("unix", 65_521, 3)]
    [InlineData("pipe", 1_000, 1)]
    [InlineData("pipe", 16_384, 8)]
    public async Task Every_packet_comes_back_unchanged_and_exactly_the_given_number_is_sent(string kind, int size, int atOnce)
    {
        using var server = new EchoServer(kind);
        var result = await TestLoad.MeasureAsync(Options(server, size, atOnce) with { Connections = 3 }, new LoadWindow { Calls = 2_000 });
        Assert.Equal((2_000, 2_000, 2_000), (result.Started, result.Ok, result.Completed));
        Assert.Equal(2_000L * size, result.Replies.Bytes);
    }

    // The packets exceed all buffers on the way: a client that waited for room before it reads would wait for ever.
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task Packets_larger_than_every_buffer_never_block_each_other(string kind)
    {
        using var server = new EchoServer(kind);
        // A busy machine may move these bytes slowly. Packets that block each other never come back.
        var result = await TestLoad.MeasureAsync(
            Options(server, 4 << 20, 8) with { Timeout = TestLoad.Patience }, new LoadWindow { Calls = 16 });
        Assert.Equal((16, 16), (result.Started, result.Ok));
    }

    [Fact]
    public async Task Swapped_replies_are_detected() => await AssertCaughtAsync(2, (bytes, _) => [.. bytes[32..], .. bytes[..32]]);

    [Fact]
    public async Task A_packet_returned_twice_is_detected() => await AssertCaughtAsync(2, (bytes, _) => [.. bytes[..32], .. bytes[..32]]);

    [Fact]
    public async Task A_shifted_reply_is_detected() => await AssertCaughtAsync(1, (bytes, _) => [.. bytes[1..], bytes[0]]);

    [Fact]
    public async Task One_wrong_bit_is_detected() =>
        await AssertCaughtAsync(1, (bytes, number) => number == 5 ? [.. bytes[..31], (byte)(bytes[31] ^ 1)] : bytes);

    [Fact]
    public async Task The_previous_packet_is_not_accepted_as_the_current_packet()
    {
        byte[]? last = null;
        await AssertCaughtAsync(1, (bytes, _) =>
        {
            var answer = last ?? bytes;
            last = [.. bytes];
            return answer;
        });
    }

    [Fact]
    public async Task Bytes_beyond_the_sent_packets_end_the_connection()
    {
        using var server = new EchoServer("unix", (bytes, _) => [.. bytes, 0], atOnce: 32);
        var result = await TestLoad.MeasureAsync(Options(server, 32, 1), new LoadWindow { Calls = 20 });
        // Packet and surplus byte arrive together, so no reply counts, and each reply ends its connection.
        Assert.Equal((0, "wrong bytes"), (result.Ok, Assert.Single(result.Failed.Keys)));
        Assert.True(result.Connections.Reopened > 0);
    }

    // The server returns each packet in two halves. Of the fourth packet of a connection it returns 7 bytes, and then it closes.
    [Fact]
    public Task A_packet_that_the_server_breaks_off_fails_or_is_cut_off_and_earlier_packets_count() => TestLoad.InTheEndAsync(async () =>
    {
        using var server = new EchoServer("unix", (bytes, number) => number < 6 ? bytes : number == 6 ? bytes[..7] : null, atOnce: 16);
        var result = await TestLoad.MeasureAsync(
            Options(server, 32, 1) with { Timeout = TimeSpan.FromSeconds(1) }, new LoadWindow { Calls = 12 });
        Assert.Equal((9, 3), (result.Ok, result.Failed.GetValueOrDefault("short reply")));
    });

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n", "does not send the same bytes back: it is not an echo server")]
    [InlineData(null, "closed the connection without sending the packet back: it is not an echo server")]
    [InlineData("", "accepts connections but did not send a packet back within 0.5 s (--timeout): it is not an echo server")]
    public async Task A_server_that_does_not_echo_is_reported_before_the_measurement(string? answer, string sentence)
    {
        using var server = new EchoServer("tcp", (_, _) => answer is null ? null : Encoding.ASCII.GetBytes(answer), atOnce: 64);
        var options = Typed.Read(
            EchoExperiment.Preset, "-U", $"{server.Address}", "-s", "64,64M", "--timeout", answer is "" ? "500ms" : "30s");
        var error = await Assert.ThrowsAsync<EnvironmentException>(() => Typed.ServersAsync(options).WaitAsync(TestLoad.Patience));
        Assert.Equal($"{server.Address} {sentence}", error.Message);
    }

    [Theory]
    [InlineData("GOAWAY", "does not send the same bytes back: it is not an echo server")]
    [InlineData(null, "closed the connection without sending the packet back: it is not an echo server")]
    public async Task A_server_of_another_protocol_is_noticed_even_if_packets_are_small(string? answer, string sentence)
    {
        const int preface = 24; // HTTP/2 (RFC 9113, 3.4): a server answers nothing before it has so many bytes
        using var server = new EchoServer("unix", (_, _) => answer is null ? null : Encoding.ASCII.GetBytes(answer), atOnce: preface);
        var error = await Assert.ThrowsAsync<EnvironmentException>(() => Typed.ServersAsync(
            Typed.Read(EchoExperiment.Preset, "-U", $"{server.Address}", "-s", "1", "--timeout", "30s")).WaitAsync(TestLoad.Patience));
        Assert.Equal($"{server.Address} {sentence}", error.Message);
    }

    [Fact]
    public Task A_slow_echo_of_small_packets_is_accepted_as_an_echo() => TestLoad.InTheEndAsync(async () =>
    {
        using var over = new ManualResetEventSlim();
        using var server = new EchoServer("unix", (bytes, number) =>
        {
            if (number >= 3)
                over.Wait(TestLoad.Patience); // the other packets do not come back in time
            return bytes;
        }, atOnce: 1);
        try
        {
            await using var servers = await Typed.ServersAsync(
                Typed.Read(EchoExperiment.Preset, "-U", $"{server.Address}", "-s", "1", "--timeout", "500ms"));
            Assert.NotEmpty(servers.Targets);
        }
        catch (EnvironmentException e)
        {
            Assert.Fail(e.Message); // on a busy machine, no packet may come back in time
        }
        finally
        {
            over.Set();
        }
    });

    [Fact]
    public async Task Exactly_one_packet_is_sent_to_an_echo_server_before_the_run()
    {
        var packets = new List<int>();
        using var server = new EchoServer("unix", (bytes, number) =>
        {
            packets.Add(number);
            return bytes;
        }, atOnce: 100);
        await using var servers = await Typed.ServersAsync(
            Typed.Read(EchoExperiment.Preset, "-U", $"{server.Address}", "-s", "100", "-c", "3"));
        Assert.Equal([0], packets);
    }

    [Fact]
    public async Task An_echo_of_0_bytes_is_rejected()
    {
        using var server = new EchoServer("unix");
        await Assert.ThrowsAsync<ArgumentException>(() => TestLoad.OpenAsync(Options(server, 0, 1)));
    }

    [Fact]
    public void Packets_in_flight_differ_from_each_other()
    {
        foreach (var size in (int[])[1, 2, 3, 4, 7, 8, 64, 1_024, 65_521, 131_042])
        {
            var (first, second) = (new byte[size], new byte[size]);
            for (var (position, packet) = (0, 0); packet < 70_000 && packet * (long)size < 20_000_000; packet++)
            {
                var next = EchoPattern.Next(position, size);
                EchoPattern.Fill(first, position);
                EchoPattern.Fill(second, next);
                Assert.True(EchoPattern.Matches(first, position));
                Assert.False(first.AsSpan().SequenceEqual(second), $"packets {packet} and {packet + 1} of {size} bytes are the same");
                position = next;
            }
        }
    }

    private static LoadOptions Options(EchoServer server, int size, int atOnce) =>
        TestLoad.Options(server.Address, connections: 1, streams: atOnce, threads: 1, size: size, timeout: 20) with
        {
            Protocol = ProtocolTable.Echo,
        };

    private static async Task AssertCaughtAsync(int packets, Func<byte[], int, byte[]?> lie)
    {
        using var server = new EchoServer("unix", lie, atOnce: 32 * packets);
        var result = await TestLoad.MeasureAsync(
            Options(server, 32, packets) with { Timeout = TimeSpan.FromSeconds(1) }, new LoadWindow { Calls = 40 });
        Assert.True(result.Failed.GetValueOrDefault("wrong bytes") > 0, string.Join(", ", result.Failed));
    }
}
