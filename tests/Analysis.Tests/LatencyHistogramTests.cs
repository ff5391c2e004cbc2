using System.Buffers.Binary;
using System.Diagnostics;
using System.IO.Compression;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class LatencyHistogramTests
{
    // Written by hdr-histogram-js 3.0.1: build({ lowestDiscernibleValue: 1, highestTrackableValue: 2 ** 42 - 1,
    // numberOfSignificantValueDigits: 3 }) with recordValue of 0, 1, 1, 2047, 2048, 2049, 123456789, and 1000 times 5000000.
    private const string FromJavaScript = "HISTFAAAADF4nJNpmSzMwMDAx8DAwMjAwMDMAAGMDAzM/0EAxmdi+SnPxNK6mfEC/2ovJgDgzQqM";

    [Fact]
    public void Histograms_of_another_library_are_read()
    {
        var counts = LatencyCounts.Decode(FromJavaScript);
        Assert.Equal(1007, counts.Count);
        Assert.Equal(0, counts.Min);
        Assert.Equal(123469823, counts.Max);
        Assert.Equal(5001215, counts.ValueAt(50));
        Assert.Equal(1, counts.ValueAt(0.1));
        Assert.Equal(1, counts.ValueAt(0.2));
    }

    [Fact]
    public void A_histogram_is_encoded_and_decoded_without_loss()
    {
        var (random, histogram) = (new Random(5), new LatencyHistogram());
        for (var i = 0; i < 100_000; i++)
            histogram.Record((long)Math.Exp(random.NextDouble() * 29));
        histogram.Record(LatencyHistogram.MaxValue);
        histogram.Record(long.MaxValue);
        histogram.Record(-7);
        var back = LatencyCounts.Decode(histogram.Encode());
        Assert.Equal(All(histogram.ToCounts()), All(back));
        Assert.Equal(100_003, back.Count);
        Assert.Equal(histogram.Sum, back.Sum, histogram.Sum / 1000.0);
        Assert.Equal(0, LatencyCounts.Decode(new LatencyHistogram().Encode()).Count);
        Assert.Equal(0, LatencyCounts.Decode("").Count);
    }

    [Fact]
    public void Percentiles_agree_with_a_million_stored_samples_to_three_digits()
    {
        var (random, histogram, samples) = (new Random(7), new LatencyHistogram(), new long[1_000_000]);
        for (var i = 0; i < samples.Length; i++)
        {
            samples[i] = (long)(20_000 * Math.Exp(6 * random.NextDouble() * random.NextDouble() * random.NextDouble()));
            histogram.Record(samples[i]);
        }
        Array.Sort(samples);
        var counts = histogram.ToCounts();
        foreach (var percentile in new[] { 0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100 })
        {
            var exact = samples[Math.Max(0, (int)Math.Ceiling(percentile / 100 * samples.Length) - 1)];
            Assert.InRange(counts.ValueAt(percentile), exact, exact * 1.001);
        }
    }

    [Fact]
    public void Merged_histograms_have_the_percentiles_of_all_samples_unlike_averages()
    {
        var (fast, slow, together) = (new LatencyHistogram(), new LatencyHistogram(), new LatencyHistogram());
        for (var i = 0; i < 1000; i++)
        {
            fast.Record(10_000 + i);
            slow.Record(1_000_000 + 100 * i);
            together.Record(10_000 + i);
            together.Record(1_000_000 + 100 * i);
        }
        var averaged = (fast.ToCounts().ValueAt(25) + slow.ToCounts().ValueAt(25)) / 2;
        var summed = fast.ToCounts().Add(slow.ToCounts());
        fast.Add(slow);
        Assert.Equal(together.ToCounts().ValueAt(25), fast.ToCounts().ValueAt(25));
        Assert.Equal(together.ToCounts().ValueAt(99), summed.ValueAt(99));
        Assert.True(averaged > 10 * together.ToCounts().ValueAt(25));
    }

    [Theory]
    [InlineData("not base64!", "a histogram is not base64")]
    [InlineData("AAAAAAAAAAAAAAAAAAAAAAAA", "a histogram is not in HdrHistogram's V2 compressed coding")]
    [InlineData("HISTFAAAAAA=", "a histogram is not in HdrHistogram's V2 coding")]
    public void Damaged_text_is_rejected(string text, string message) =>
        Assert.Equal(message, Assert.Throws<FormatException>(() => LatencyCounts.Decode(text)).Message);

    [Fact]
    public void A_total_count_of_up_to_2_to_the_power_53_is_read_and_a_greater_total_is_rejected()
    {
        const long largest = 1L << 53;
        Assert.Equal(largest, LatencyCounts.Decode(Coded(largest)).Count);
        Assert.Equal(largest, LatencyCounts.Decode(Coded(largest - 1, 1)).Count);
        foreach (var counts in new[] { [largest + 1], [largest, 1], new[] { long.MaxValue, long.MaxValue } })
        {
            var thrown = Assert.Throws<FormatException>(() => LatencyCounts.Decode(Coded(counts)));
            Assert.Equal("a histogram holds an impossible count", thrown.Message);
        }
        // The first text says that all slots are empty. The second text adds a count beyond the last slot.
        Assert.Equal(0, LatencyCounts.Decode(Coded(-LatencyHistogram.Slots)).Count);
        Assert.Throws<FormatException>(() => LatencyCounts.Decode(Coded(-LatencyHistogram.Slots, 1)));
        Assert.Equal([(1, 5L)], All(LatencyCounts.Decode(Coded(0, 5, 0))));

        // HdrHistogram's V2 payload: ZigZag LEB128, 64 bit in at most 9 bytes.
        static string Coded(params long[] counts)
        {
            var payload = new List<byte>();
            foreach (var count in counts)
            {
                var rest = (ulong)((count << 1) ^ (count >> 63));
                for (var i = 0; i < 8 && rest >= 0x80; i++, rest >>= 7)
                    payload.Add((byte)(rest | 0x80));
                payload.Add((byte)rest);
            }
            var (header, packed) = (new byte[40], new MemoryStream());
            BinaryPrimitives.WriteInt32BigEndian(header, 0x1c849313);
            BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(4), payload.Count);
            BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(12), 3);
            packed.Write([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0]);
            using (var zlib = new ZLibStream(packed, CompressionLevel.Fastest, leaveOpen: true))
                zlib.Write([.. header, .. payload]);
            var bytes = packed.ToArray();
            BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(4), bytes.Length - 8);
            return Convert.ToBase64String(bytes);
        }
    }

    [Fact]
    public void Damaged_or_truncated_text_is_rejected_or_read_and_never_crashes()
    {
        var (random, good) = (new Random(3), Convert.FromBase64String(FromJavaScript));
        for (var i = 0; i < 3000; i++)
        {
            var bytes = (i % 3 == 0 ? good[..random.Next(good.Length)] : good).ToArray();
            for (var flips = random.Next(4); flips >= 0 && bytes.Length > 0; flips--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            var thrown = Record.Exception(() => LatencyCounts.Decode(Convert.ToBase64String(bytes)));
            Assert.True(thrown is null or FormatException, thrown?.ToString());
        }
    }

    [Fact]
    public void A_small_text_that_inflates_to_gigabytes_is_rejected_at_once()
    {
        using var packed = new MemoryStream();
        packed.Write([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0]);
        using (var zlib = new ZLibStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            for (var i = 0; i < 300; i++)
                zlib.Write(new byte[1 << 20]);
        }
        var bytes = packed.ToArray();
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(4), bytes.Length - 8);
        var before = GC.GetAllocatedBytesForCurrentThread();
        var thrown = Assert.Throws<FormatException>(() => LatencyCounts.Decode(Convert.ToBase64String(bytes)));
        Assert.Equal("a histogram is too long for this layout", thrown.Message);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 30_000_000);
    }

    [Fact]
    public async Task A_JavaScript_library_reads_histograms_of_this_tool()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign clients are installed on Linux only");
        var histogram = new LatencyHistogram();
        for (var i = 1; i <= 10_000; i++)
            histogram.Record(i * 1000L);
        var script = "const h=require('hdr-histogram-js').decodeFromCompressedBase64('" + histogram.Encode()
            + "');console.log([h.totalCount,h.getValueAtPercentile(50),h.getValueAtPercentile(99.9),h.maxValue].join(' '))";
        var answer = await RunNode(script);
        if (answer == null)
            Assert.Skip("node with hdr-histogram-js is not here: npm install hdr-histogram-js, NODE_PATH set to its node_modules");
        var counts = histogram.ToCounts();
        Assert.Equal($"{counts.Count} {counts.ValueAt(50)} {counts.ValueAt(99.9)} {counts.Max}", answer.Trim());
    }

    private static List<(int Slot, long Count)> All(LatencyCounts counts)
    {
        var all = new List<(int Slot, long Count)>();
        foreach (var entry in counts)
            all.Add(entry);
        return all;
    }

    private static async Task<string?> RunNode(string script)
    {
        try
        {
            using var node = Process.Start(new ProcessStartInfo("node", ["-e", script])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true
            })!;
            var output = node.StandardOutput.ReadToEndAsync();
            var errors = node.StandardError.ReadToEndAsync();
            await node.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(60));
            return node.ExitCode == 0 ? await output : (await errors).Contains("Cannot find module", StringComparison.Ordinal)
                ? null : await errors;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }
}
