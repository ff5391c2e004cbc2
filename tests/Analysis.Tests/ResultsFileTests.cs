using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public sealed class ResultsFileTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private string NewPath => Path.Combine(folder, Guid.NewGuid().ToString("N") + ".json");

    private static RunRecord Small() => new SampleRuns { Sizes = [10], Rounds = 2, SamplesPerRound = 50 }.Make();

    [Fact]
    public void What_is_saved_is_loaded_again_whole()
    {
        var (path, run) = (NewPath, Small());
        ResultsFile.Save(path, run);
        ResultsFile.Save(path, run with { Label = "again" });
        var back = ResultsFile.Load(path);
        Assert.Equal("again", back.Label);
        Assert.Equal(run.Rounds.Select(r => r.Latency), back.Rounds.Select(r => r.Latency));
        Assert.Equal(run.Cells.Select(c => c.Key), back.Cells.Select(c => c.Key));
        Assert.Equal(run.Rounds[0].Client.CpuUserNs, back.Rounds[0].Client.CpuUserNs);
        Assert.DoesNotContain("\"arm\"", File.ReadAllText(path), StringComparison.Ordinal);
        Assert.Equal([path], Directory.GetFiles(folder));
    }

    [Fact]
    public async Task Whoever_reads_while_it_is_written_sees_one_whole_run()
    {
        var (path, run) = (NewPath, Small());
        ResultsFile.Save(path, run with { Label = "0" });
        var writing = Task.Run(() =>
        {
            for (var i = 1; i <= 40; i++)
                ResultsFile.Save(path, run with { Label = i.ToString(), Rounds = [.. Enumerable.Repeat(run.Rounds[0], i)] });
        });
        var seen = 0;
        while (!writing.IsCompleted)
        {
            var read = ResultsFile.Load(path);
            Assert.Equal(read.Label == "0" ? run.Rounds.Count : int.Parse(read.Label), read.Rounds.Count);
            seen++;
            await Task.Delay(1);
        }
        await writing.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.True(seen > 0);
        Assert.Equal("40", ResultsFile.Load(path).Label);
    }

    [Fact]
    public void A_run_that_was_killed_is_readable()
    {
        var path = NewPath;
        ResultsFile.Save(path, Small() with { Finished = null, Ending = "running", Rounds = [] });
        Assert.Null(ResultsFile.Load(path).Finished);
    }

    [Fact]
    public void A_folder_that_cannot_be_written_is_one_sentence_and_leaves_the_old_file()
    {
        var path = NewPath;
        File.WriteAllText(path, "old");
        var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Save(Path.Combine(path, "x.json"), Small()));
        Assert.StartsWith("cannot write ", thrown.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', thrown.Message);
        Assert.Equal("old", File.ReadAllText(path));
    }

    [Fact]
    public void A_file_that_is_not_there_is_one_sentence() =>
        Assert.StartsWith("cannot read ", Assert.Throws<ResultsFileException>(() => ResultsFile.Load(NewPath)).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData("", "is empty")]
    [InlineData("  \n", "is empty")]
    [InlineData("[1]", "does not hold one JSON object")]
    [InlineData("{}", "has no schemaVersion")]
    [InlineData("{\"schemaVersion\":\"1\"}", "schemaVersion is not a number")]
    [InlineData("{\"schemaVersion\":2,\"anything\":[]}", "schema version 2 and this tool reads 1")]
    [InlineData("{\"schemaVersion\":1}", "missing required properties")]
    [InlineData("hello", "not a results file")]
    public void Files_of_something_else_are_told_apart(string json, string message)
    {
        var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(Encoding.UTF8.GetBytes(json), "f.json"));
        Assert.Contains(message, thrown.Message, StringComparison.Ordinal);
        Assert.StartsWith("f.json ", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_truncation_is_told_as_one_sentence()
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
    [InlineData("rounds[0].cell", "3", "no cell 3")]
    [InlineData("rounds[0].cell", "-1", "no cell -1")]
    [InlineData("rounds[0].started", "1", "is not ok")]
    [InlineData("rounds[0].started", "-5", "negative")]
    [InlineData("rounds[0].completed", "9223372036854775807", "impossibly large")]
    [InlineData("rounds[0].completed", "1e400", "completed")]
    [InlineData("rounds[0].completed", "\"12\"", "completed")]
    [InlineData("rounds[0].completed", "1.5", "completed")]
    [InlineData("rounds[0].askedRate", "1e999", "impossibly large")]
    [InlineData("rounds[0].askedRate", "\"NaN\"", "askedRate")]
    [InlineData("rounds[0].windowNs", "0", "window")]
    [InlineData("rounds[0].latency", "\"HISTFAAAAAA=\"", "histogram")]
    [InlineData("rounds[0].latency", "null", "latency")]
    [InlineData("rounds[0].client", "null", "client")]
    [InlineData("rounds[0]", "null", "null")]
    [InlineData("rounds[0].failed", "{\"reset\":9223372036854775807,\"b\":9223372036854775807}", "impossibly large")]
    [InlineData("cells[0].key.connections", "0", "impossible size")]
    [InlineData("cells[0].key.connections", "4000000000", "connections")]
    [InlineData("options.delta", "-1", "option")]
    [InlineData("host", "[]", "host")]
    public void What_cannot_be_true_is_refused(string member, string value, string message)
    {
        var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(With(member, value), "f.json"));
        Assert.Contains(message, thrown.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', thrown.Message);
    }

    [Fact]
    public void Counts_whose_sum_no_number_holds_are_refused()
    {
        var kinds = string.Join(',', Enumerable.Range(0, 2000).Select(kind => $"\"{kind}\":{1L << 53}"));
        var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(With("rounds[0].failed", "{" + kinds + "}"), "f.json"));
        Assert.Contains("is not ok", thrown.Message, StringComparison.Ordinal);

        var run = Small();
        var full = run.Rounds[0] with
        {
            Started = 1L << 53,
            Ok = 0,
            Failed = new Dictionary<string, long> { ["reset"] = 1L << 53 },
            CutOff = 0
        };
        var many = run with { Rounds = [.. Enumerable.Range(1, 1200).Select(number => full with { Number = number })] };
        Assert.Contains("add up", Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(Bytes(many), "f.json")).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("![x](http://e/x.png)")]
    [InlineData("![x][y]")]
    [InlineData("[y]: http://e/x.png")]
    [InlineData("<img src=http://e/x.png>")]
    [InlineData("a|b\n\n[y]: http://e/x.png")]
    public void What_a_file_says_makes_no_link_or_picture_in_markdown(string text)
    {
        var run = Small();
        var cells = run.Cells.Select(cell => cell with { Key = cell.Key with { Variant = text }, Note = text });
        var advice = new Advice { Id = "x`" + text, Doubt = text, Fix = text };
        var hostile = run with
        {
            Label = text,
            Cells = [.. cells],
            CommandLine = ["`" + text],
            Advice = [advice],
            Servers = [new ServerInfo { Stack = text, Runtime = text }]
        };
        var markdown = new MarkdownReport().Make(new ReportModel([(text, hostile), ("b", hostile)]));
        foreach (var line in markdown.Split('\n').Select(line => Regex.Replace(line, "`[^`]*`", "")))
        {
            Assert.DoesNotMatch(@"(?<!\\)\]\(|(?<!\\)\]\[|^[-\s]*\[y\]:|<img", line);
            Assert.DoesNotContain('`', line);
        }
    }

    [Fact]
    public void Deep_nesting_and_doubled_members_are_refused()
    {
        var deep = string.Concat(Enumerable.Repeat("{\"a\":", 100_000));
        Assert.StartsWith("f.json is not a results file: line 1, ", Refusal(Encoding.UTF8.GetBytes("{\"schemaVersion\":1,\"x\":" + deep)),
            StringComparison.Ordinal);
        Assert.StartsWith("f.json is not a results file: line 1, ", Refusal(With("extra", deep)), StringComparison.Ordinal);
        var doubled = Encoding.UTF8.GetString(Bytes(Small()))
            .Replace("\"seed\": 42", "\"seed\": 42, \"seed\": 43", StringComparison.Ordinal);
        Assert.Contains("'seed'", Refusal(Encoding.UTF8.GetBytes(doubled)), StringComparison.Ordinal);
    }

    private static string Refusal(byte[] json) => Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(json, "f.json")).Message;

    [Fact]
    public void Unknown_members_are_passed_over_and_a_byte_order_mark_too() =>
        Assert.Equal(42, ResultsFile.Parse([0xEF, 0xBB, 0xBF, .. With("extra", "{\"a\":[1]}")], "f.json").Seed);

    [Fact]
    public void Random_damage_never_throws_anything_else()
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

    [Fact]
    public void Members_that_an_older_file_lacks_have_the_default_of_their_record()
    {
        var root = JsonNode.Parse(Bytes(Small()))!;
        root["cells"]![0]!["key"]!.AsObject().Remove("streams");
        root["rounds"]![0]!.AsObject().Remove("cutOffLatency");
        root["rounds"]![0]!.AsObject().Remove("notSent");
        root["rounds"]![0]!.AsObject().Remove("notSentLatency");
        root["rounds"]![0]!["connections"]!.AsObject().Remove("streamsAllowed");
        root["host"]!.AsObject().Remove("serverCpus");
        var run = ResultsFile.Parse(Encoding.UTF8.GetBytes(root.ToJsonString()), "f.json");
        Assert.Equal(1, run.Cells[0].Key.Streams);
        Assert.Equal("", run.Rounds[0].CutOffLatency);
        Assert.Equal((0, "", null), (run.Rounds[0].NotSent, run.Rounds[0].NotSentLatency, run.Rounds[0].Connections.StreamsAllowed));
        Assert.Equal("free", run.Host.ServerCpus);
    }

    private byte[] With(string member, string value)
    {
        const string Mark = "\"@@here@@\"";
        var root = JsonNode.Parse(Bytes(Small()))!;
        JsonNode node = root;
        var parts = member.Replace("[0]", ".[0]", StringComparison.Ordinal).Split('.');
        foreach (var part in parts[..^1])
            node = part == "[0]" ? node[0]! : node[part]!;
        if (parts[^1] == "[0]")
            node[0] = "@@here@@";
        else
            node[parts[^1]] = "@@here@@";
        return Encoding.UTF8.GetBytes(root.ToJsonString().Replace(Mark, value, StringComparison.Ordinal));
    }

    private byte[] Bytes(RunRecord run)
    {
        var path = NewPath;
        ResultsFile.Save(path, run);
        return File.ReadAllBytes(path);
    }
}
