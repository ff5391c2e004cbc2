using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Tests.SmallFile;

namespace IpcBench.Analysis.Tests;

public sealed class ResultsFileTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private string NewPath => Path.Combine(folder, Guid.NewGuid().ToString("N") + ".json");

    [Fact]
    public void A_saved_run_is_loaded_unchanged()
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
    public async Task A_reader_during_a_write_sees_one_whole_run()
    {
        var (path, run) = (NewPath, Small());
        ResultsFile.Save(path, run with { Label = "0" });
        var (seen, last) = (0, 0);
        var writing = Task.Run(() =>
        {
            // A busy machine may let the reader begin late, so the writes last until the first read.
            for (var i = 1; i <= 40 || (i < 1000 && Volatile.Read(ref seen) == 0); i++)
            {
                last = i;
                var rounds = Enumerable.Range(1, i).Select(number => run.Rounds[0] with { Number = number });
                ResultsFile.Save(path, run with { Label = i.ToString(), Rounds = [.. rounds] });
            }
        });
        while (!writing.IsCompleted)
        {
            var read = ResultsFile.Load(path);
            Assert.Equal(read.Label == "0" ? run.Rounds.Count : int.Parse(read.Label), read.Rounds.Count);
            seen++;
            await Task.Delay(1);
        }
        await writing.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.True(seen > 0);
        Assert.Equal(last.ToString(), ResultsFile.Load(path).Label);
    }

    [Fact]
    public void The_file_of_a_killed_run_can_be_loaded()
    {
        var path = NewPath;
        ResultsFile.Save(path, Small() with { Finished = null, Ending = "running", Rounds = [] });
        Assert.Null(ResultsFile.Load(path).Finished);
    }

    [Fact]
    public void An_unwritable_path_is_reported_and_the_old_file_is_kept()
    {
        var path = NewPath;
        File.WriteAllText(path, "old");
        var thrown = Assert.Throws<ResultsFileException>(() => ResultsFile.Save(Path.Combine(path, "x.json"), Small()));
        Assert.Equal($"cannot write {Path.Combine(path, "x.json")}: the folder {path} does not exist and cannot be made", thrown.Message);
        Assert.Equal("old", File.ReadAllText(path));
    }

    [Fact]
    public void An_impossible_file_name_is_reported()
    {
        Assert.Equal("cannot write '': the path is not the name of a file", Refused(""));
        var tooLong = NewPath + new string('x', 300);
        if (OperatingSystem.IsLinux())
            Assert.Equal($"cannot write {tooLong}: the name is longer than the system allows", Refused(tooLong));

        if (OperatingSystem.IsWindows())
            return; // Windows may allow fewer characters for the whole path
        var longest = Path.Combine(folder, new string('x', 255));
        ResultsFile.Save(longest, Small());
        Assert.Equal([longest], Directory.GetFiles(folder));

        static string Refused(string path) => Assert.Throws<ResultsFileException>(() => ResultsFile.TrySave(path, Small())).Message;
    }

    [Fact]
    public void A_missing_file_is_reported()
    {
        var path = NewPath;
        Assert.Equal($"there is no file {path}", Assert.Throws<ResultsFileException>(() => ResultsFile.Load(path)).Message);
    }

    [Theory]
    [InlineData("![x](http://e/x.png)")]
    [InlineData("![x][y]")]
    [InlineData("[y]: http://e/x.png")]
    [InlineData("<img src=http://e/x.png>")]
    [InlineData("a|b\n\n[y]: http://e/x.png")]
    public void Text_from_a_results_file_becomes_no_link_and_no_picture_in_the_markdown_report(string text)
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
    public void Unknown_members_and_a_byte_order_mark_are_skipped() =>
        Assert.Equal(42, ResultsFile.Parse([0xEF, 0xBB, 0xBF, .. With("extra", "{\"a\":[1]}")], "f.json").Seed);

    [Fact]
    public void Members_that_an_older_file_lacks_have_their_default()
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
}
