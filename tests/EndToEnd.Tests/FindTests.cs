using System.Text.Json.Nodes;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks <c>--find</c> with a server that delays each call, from the search to every report.</summary>
public sealed class FindTests : IDisposable
{
    private const int Windows = 3 + 8;
    private const string Objective = "p90<3ms,failures<50%";

    private static readonly string[] Search = ["-s", "10", "-c", "1", "-t", "1", "-r", "3", "-d", "300ms", "--warmup", "10ms",
        "--find", Objective];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string ResultsFile => FileOf("run.json");

    private string Socket => "unix:" + Path.Combine(folder, "s.sock");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_option_find_searches_a_rate_for_each_transport_and_every_report_shows_the_result()
    {
        await using var server = await StartServerAsync();
        var (code, output, error) = await Tool.RunAsync([.. Servers(server), .. Search, "-o", ResultsFile, "--format", "json"]);
        Assert.True(code == 0, error);
        var searches = JsonNode.Parse(output)!["runs"]![0]!["searches"]!.AsArray().Select(one => one!).ToList();

        Assert.Equal(["tcp", "unix"], searches.Select(one => Text(one, "arm")));
        var text = await ReportAsync("run.txt");
        foreach (var one in searches)
        {
            // The search starts at half of full load. It steps up after a window that kept the objective, and down after a window that
            // did not. A window with too few calls has no p90.
            var windows = one["windows"]!.AsArray()
                .Select(window => (Rate: Number(window!, "rate"), IsKept: (bool)window!["kept"]!, P90: (double?)window["p90"] ?? 0))
                .ToList();
            Assert.Equal((Objective, Windows), (Text(one, "objective"), windows.Count));
            // Both are printed with two decimals.
            Assert.Equal(Number(one, "fullLoad") / 2, windows[0].Rate, 1e-2);
            foreach (var (before, after) in windows.Zip(windows.Skip(1)))
                Assert.True(before.IsKept ? after.Rate >= before.Rate : after.Rate <= before.Rate, one.ToJsonString());
            Assert.All(windows, window => Assert.InRange(window.P90, 0, window.IsKept ? 3.01e6 : double.MaxValue));
            // On a busy machine the search may find no rate, and then the answer says so.
            Assert.Contains(Text(one, "outcome") switch
            {
                "found" => $"10 B: {Text(one, "arm")} keeps {Objective} up to ",
                "everywhere" => $"10 B: {Text(one, "arm")} keeps {Objective} at ",
                "nowhere" => $"10 B: {Text(one, "arm")} does not keep {Objective} even at ",
                _ => $"10 B: the highest rate at which {Text(one, "arm")} keeps {Objective} is unknown",
            }, text, StringComparison.Ordinal);
            // Only a rate that was found has an interval.
            if (one["low"] is not null)
                Assert.InRange(Number(one, "rate"), Math.Max(1e-9, Number(one, "low")), Number(one, "high"));
        }

        var found = searches.Count(one => one["high"] is not null);
        var page = await ReportAsync("run.html", "-o", FileOf("run.md"), "-o", FileOf("run.csv"));
        Assert.Contains("Highest rate at p90&lt;3ms,failures&lt;50%", page, StringComparison.Ordinal);
        Assert.Contains("calls per second", await ReportAsync("run.svg", "--plot", "objective"), StringComparison.Ordinal);
        Assert.Contains("highest rate", await File.ReadAllTextAsync(FileOf("run.md")), StringComparison.Ordinal);
        var rows = (await File.ReadAllTextAsync(FileOf("run.csv"))).TrimEnd().Split('\n').Select(row => row.Split(',')).ToList();
        Assert.Equal("found_high", rows[0][^1]);
        Assert.Equal(1 + (found * Windows), rows.Count(row => row[^1].Length > 0));
    }

    [Fact]
    public async Task After_Ctrl_C_in_a_search_the_windows_so_far_are_kept_and_their_result_is_reported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Ctrl-C to another console group is not sent by tests on Windows");
        await using var server = await StartServerAsync();
        await using var tool = Tool.Start([.. Servers(server), .. Search, "-o", ResultsFile]);
        await tool.SeesAsync("round 4:"); // the first three rounds are those of full load
        tool.Signal("INT");
        Assert.Equal(130, await tool.ExitCodeAsync());
        var run = Analysis.Results.ResultsFile.Load(ResultsFile);
        Assert.Equal("interrupted", run.Ending);
        Assert.InRange(run.Rounds.Count(round => run.Cells[round.Cell].Key.VariesRate), 4, 2 * Windows - 1);
        Assert.Contains($"the highest rate at which tcp keeps {Objective} is unknown after ", tool.Output, StringComparison.Ordinal);
    }

    private string FileOf(string name) => Path.Combine(folder, name);

    private static string Text(JsonNode node, string name) => (string?)node[name] ?? "";

    private static double Number(JsonNode node, string name) => (double)node[name]!;

    private IEnumerable<string> Servers(Tool server) =>
        ["-U", server.Output.Split([' ', '\n']).First(word => word.StartsWith("http", StringComparison.Ordinal)), "-U", Socket];

    private async Task<Tool> StartServerAsync()
    {
        var server = Tool.StartServer("--listen", "http://127.0.0.1:0", "--listen", Socket, "--delay-us", "500");
        await server.SeesAsync("GrpcBench server ready");
        return server;
    }

    private async Task<string> ReportAsync(string name, params string[] more)
    {
        var file = FileOf(name);
        string[] format = name.EndsWith(".txt", StringComparison.Ordinal) ? ["--format", "text"] : [];
        var (code, _, error) = await Tool.RunAsync(["report", ResultsFile, "-o", file, .. format, .. more]);
        Assert.True(code == 0, error);
        return await File.ReadAllTextAsync(file);
    }
}
