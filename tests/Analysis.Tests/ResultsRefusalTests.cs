using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Tests.SmallFile;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks that files that are no results file, or cannot be true, are rejected with the reason.</summary>
public sealed class ResultsRefusalTests
{
    [Theory]
    [InlineData("", "f.json is empty")]
    [InlineData("  \n", "f.json is empty")]
    [InlineData("[1]", "f.json is not a results file: it does not hold one JSON object")]
    [InlineData("hello", "f.json is not a results file: it does not hold one JSON object")]
    [InlineData("{\"schema\":\"ipcbench-summary/1\"}",
        "f.json is a report of --format json, not a results file: use the file that -o run.json wrote")]
    [InlineData("{}", "f.json is not a results file: it has no schemaVersion")]
    [InlineData("{\"schemaVersion\":\"1\"}", "f.json is not a results file: its schemaVersion is not a number")]
    [InlineData("{\"schemaVersion\":2,\"anything\":[]}",
        "f.json has schema version 2 and this tool reads 1: use the version that wrote the file")]
    public void Files_of_other_formats_are_refused_and_their_format_is_named(string json, string message) =>
        Assert.Equal(message, Refusal(Encoding.UTF8.GetBytes(json)));

    [Fact]
    public void A_missing_member_is_reported() => Assert.Equal(
        "f.json is not a results file: line 1, $: JSON deserialization for type 'IpcBench.Analysis.Results.RunRecord' was missing required "
            + "properties including: 'toolVersion', 'started', 'commandLine', 'seed', 'options', 'host'",
        Refusal("{\"schemaVersion\":1}"u8.ToArray()));

    [Fact]
    public void Every_truncation_is_reported_in_one_sentence()
    {
        var json = Bytes(Small());
        for (var length = 0; length < json.Length - 3; length += 97)
        {
            var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(json.AsSpan(0, length), "f.json"));
            Assert.DoesNotContain('\n', thrown.Message);
            if (length > 100)
                Assert.Equal("f.json is truncated: the JSON ends in the middle", thrown.Message);
        }
    }

    [Theory]
    [InlineData("rounds[0].cell", "3", "rounds[0]: there is no cell 3")]
    [InlineData("rounds[0].cell", "-1", "rounds[0]: there is no cell -1")]
    [InlineData("rounds[0].started", "-5", "rounds[0]: a negative or impossibly large number")]
    [InlineData("rounds[0].completed", "9223372036854775807", "rounds[0]: a negative or impossibly large number")]
    [InlineData("rounds[0].askedRate", "1e999", "rounds[0]: a negative or impossibly large number")]
    [InlineData("rounds[0].failed", "{\"reset\":9223372036854775807,\"b\":9223372036854775807}",
        "rounds[0]: a negative or impossibly large number")]
    [InlineData("rounds[0].windowNs", "0", "rounds[0]: impossible number, attempt or window")]
    [InlineData("rounds[0].latency", "\"HISTFAAAAAA=\"", "rounds[0]: a histogram is not in HdrHistogram's V2 coding")]
    [InlineData("rounds[0].slices", "{\"plannedSeconds\":0.05,\"rates\":[1,2],\"order\":[0]}",
        "rounds[0]: the slices have lists of different lengths")]
    [InlineData("rounds[0].slices", "{\"plannedSeconds\":0.05,\"rates\":[1],\"clientCpuNs\":[-1],\"order\":[0]}",
        "rounds[0]: impossible readings of a slice")]
    [InlineData("rounds[0]", "null", "a list holds null")]
    [InlineData("host.settings", "{\"net.core.somaxconn\":null}", "a list holds null")]
    [InlineData("host.runtimeVariables", "{\"DOTNET_gcServer\":null}", "a list holds null")]
    [InlineData("options.knobs", "{\"backlog\":null}", "a list holds null")]
    [InlineData("servers", "[{\"settings\":{\"backlog\":null}}]", "a list holds null")]
    [InlineData("servers", "[{\"addresses\":[null]}]", "a list holds null")]
    [InlineData("serverProcesses", "[{\"addresses\":[null]}]", "a list holds null")]
    [InlineData("rounds[0].failureMessages", "{\"reset\":null}", "rounds[0]: a list holds null")]
    [InlineData("cells[0].key.connections", "0", "cell 0: impossible size, connections or streams")]
    [InlineData("options.delta", "-1", "an option has an impossible number")]
    [InlineData("options.delta", "0", "an option has an impossible number")]
    [InlineData("options.rehearsalNs", "-1", "an option has an impossible number")]
    [InlineData("options.looks", "[-4]", "an option has an impossible number")]
    [InlineData("host.logicalCpus", "-2", "the machine has an impossible number")]
    [InlineData("rounds[0].receivedBytes", "-1", "rounds[0]: a negative or impossibly large number")]
    [InlineData("rounds[0].blocked", "{\"streamWindow\":-1,\"connectionWindow\":0,\"socket\":0}",
        "rounds[0]: impossible times of blocked streams")]
    [InlineData("rounds[0].connections.openedInAll", "-1", "rounds[0]: impossible counts of connections")]
    public void Impossible_values_are_rejected(string member, string value, string message) =>
        Assert.Equal("f.json is damaged: " + message, Refusal(With(member, value)));

    [Fact]
    public void Two_measurements_of_the_same_cell_round_and_attempt_are_rejected()
    {
        var run = Small();
        Assert.Equal("f.json is damaged: a cell has two measurements of the same round and attempt",
            Refusal(Bytes(run with { Rounds = [.. run.Rounds, run.Rounds[0]] })));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    public void An_advice_without_text_is_printed_without_text(string doubt) =>
        Assert.Equal("", AdviceText.Brief(new Advice { Id = "x", Doubt = doubt, Fix = "" }));

    [Theory]
    [InlineData("rounds[0].completed", "1e400")]
    [InlineData("rounds[0].completed", "\"12\"")]
    [InlineData("rounds[0].completed", "1.5")]
    [InlineData("rounds[0].askedRate", "\"NaN\"")]
    [InlineData("rounds[0].latency", "null")]
    [InlineData("rounds[0].client", "null")]
    [InlineData("cells[0].key.connections", "4000000000")]
    [InlineData("host", "[]")]
    public void The_error_of_an_invalid_value_names_the_member_and_the_line(string member, string value)
    {
        var refusal = Refusal(With(member, value));
        Assert.StartsWith($"f.json is not a results file: line 1, $.{member}: ", refusal, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refusal);
    }

    [Fact]
    public void Counts_with_an_overflowing_sum_are_rejected()
    {
        var kinds = string.Join(',', Enumerable.Range(0, 2000).Select(kind => $"\"{kind}\":{1L << 53}"));
        var ok = Small().Rounds[0].Ok;
        Assert.Equal($"f.json is damaged: rounds[0]: started {ok} is not ok {ok} + failed {(Int128)2000 << 53} + cut off 0",
            Refusal(With("rounds[0].failed", "{" + kinds + "}")));
        Assert.Equal($"f.json is damaged: rounds[0]: started 1 is not ok {ok} + failed 0 + cut off 0",
            Refusal(With("rounds[0].started", "1")));

        var run = Small();
        var full = run.Rounds[0] with
        {
            Started = 1L << 53,
            Ok = 0,
            Failed = new Dictionary<string, long> { ["reset"] = 1L << 53 },
            CutOff = 0
        };
        var many = run with { Rounds = [.. Enumerable.Range(1, 1200).Select(number => full with { Number = number })] };
        Assert.Equal("f.json is damaged: the rounds add up to more calls or time than a run can have", Refusal(Bytes(many)));
    }

    [Fact]
    public void Latencies_with_an_overflowing_number_are_rejected()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_000, 1L << 53);
        var (run, latency) = (Small(), histogram.Encode());
        var many = run with
        {
            Rounds = [.. Enumerable.Range(1, 1024).Select(number => run.Rounds[0] with { Number = number, Latency = latency })],
        };
        Assert.Equal("f.json is damaged: the rounds add up to more calls or time than a run can have", Refusal(Bytes(many)));
    }

    [Theory]
    [InlineData(2001, 1, "the file lists more cells or rounds than a run can have")]
    [InlineData(1, 1000, "the file compares more arms than a run can have")]
    public void A_file_with_too_many_cells_is_rejected(int sizes, int arms, string message)
    {
        var run = Small();
        var many = run with
        {
            Rounds = [],
            Cells = [.. from size in Enumerable.Range(1, sizes)
                        from arm in Enumerable.Range(1, arms)
                        select run.Cells[0] with { Key = run.Cells[0].Key with { Size = size, Variant = $"x={arm}" } }],
        };
        Assert.Equal("f.json is damaged: " + message, Refusal(Bytes(many)));
    }

    [Theory]
    [InlineData(600, 1)]
    [InlineData(1, 440)]
    public void The_report_of_a_file_with_many_cells_ends_soon(int sizes, int arms)
    {
        var run = Small();
        var cells = (from size in Enumerable.Range(1, sizes)
                     from arm in Enumerable.Range(1, arms)
                     select run.Cells[0] with { Key = run.Cells[0].Key with { Size = size, Variant = $"x={arm}" } }).ToList();
        var many = run with
        {
            Cells = cells,
            Rounds = [.. from number in Enumerable.Range(1, 8)
                         from cell in Enumerable.Range(0, cells.Count)
                         select run.Rounds[0] with { Number = number, Cell = cell }],
        };
        var watch = System.Diagnostics.Stopwatch.StartNew();
        Reports.Find("text")!.Make(new ReportModel(ResultsFile.Parse(Bytes(many), "f.json")));
        Assert.InRange(watch.Elapsed.TotalSeconds, 0, 60);
    }

    [Fact]
    public void Deep_nesting_and_repeated_members_are_rejected()
    {
        var deep = string.Concat(Enumerable.Repeat("{\"a\":", 100_000));
        string TooDeep(string member) => $"f.json is not a results file: line 1, $.{member}: The maximum configured depth of 16 has been "
            + "exceeded. Cannot read next JSON object";
        Assert.Equal(TooDeep("x"), Refusal(Encoding.UTF8.GetBytes("{\"schemaVersion\":1,\"x\":" + deep)));
        Assert.Equal(TooDeep("extra"), Refusal(With("extra", deep)));
        var doubled = Encoding.UTF8.GetString(Bytes(Small()))
            .Replace("\"seed\": 42", "\"seed\": 42, \"seed\": 43", StringComparison.Ordinal);
        Assert.Equal(
            "f.json is not a results file: line 13, $.seed: Duplicate property 'seed' encountered during deserialization of type "
                + "'IpcBench.Analysis.Results.RunRecord'",
            Refusal(Encoding.UTF8.GetBytes(doubled)));
    }

    [Fact]
    public void Random_damage_throws_only_the_documented_exception()
    {
        var (random, json) = (new Random(11), Bytes(Small()));
        for (var i = 0; i < 400; i++)
        {
            var bytes = json.ToArray();
            for (var flips = random.Next(1, 6); flips > 0; flips--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(32, 127);
            var thrown = Record.Exception(() => ResultsFile.Parse(bytes, "f.json"));
            Assert.True(thrown is null or ResultsFileException, thrown?.ToString());
        }
    }

    private static string Refusal(byte[] json) => Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(json, "f.json")).Message;
}
