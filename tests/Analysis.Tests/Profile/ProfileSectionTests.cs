using System.Text;
using System.Text.Json;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests.Profile;

public class ProfileSectionTests
{
    // A call of tcp needs 20 µs of the server and one of unix 12 µs. Sends make 60 and 30 % of them: 12 and 3.6 µs.
    private static readonly RunRecord Base =
        new SampleRuns { Sizes = [10], Transports = ["tcp", "unix"], SamplesPerRound = 60 }.Make();

    private static readonly long[] Tcp = [60, 40], Unix = [30, 70];

    [Fact]
    public void Stages_add_up_to_the_CPU_of_a_call_and_differences_have_intervals()
    {
        var text = TextOf(Made(Tcp, Unix));

        Assert.Matches(@"stage +tcp +unix +unix − tcp, µs\n", text);
        Assert.Matches(@"kernel: send +12\.0 µs +3\.6 µs +−8\.40 \[−8\.\d\d, −8\.\d\d\]\n", text);
        Assert.Matches(@"HTTP +8\.0 µs +8\.4 µs +\+0\.40 \[0\.\d\d, 0\.\d\d\]\n", text);
        Assert.Matches(@"together +20\.0 µs +12\.0 µs +−8\.00\n", text);
        Assert.Contains("differs between these windows and the counted rounds by 10 % or less (unix).", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_answer_names_the_stage_that_differs_most() => Assert.Contains(
        "10 B: of the stages of the server's CPU time, \"kernel: send\" differs most between unix and tcp: −8.40 [−8.",
        TextOf(Made(Tcp, Unix)), StringComparison.Ordinal);

    [Theory]
    [InlineData(60, 60, 12.0)] // each stage has its part of the difference: 4.8 and 3.2 µs, of which the first is most
    [InlineData(60, 33, 20.0)] // the CPU per call is not decided
    public void The_answer_names_a_stage_only_where_it_decides_the_CPU_per_call(long tcp, long unix, double callOfUnix) =>
        Assert.Equal(callOfUnix < 20, TextOf(Made([tcp, 100 - tcp], [unix, 100 - unix], callOfUnix))
            .Contains("differs most", StringComparison.Ordinal));

    [Fact]
    public void The_answer_names_no_stage_where_only_the_CPU_of_the_server_differs()
    {
        var run = Made(Tcp, Unix);
        // The client uses so much CPU that the difference of the server is lost in the noise of both sides together.
        var noisy = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = round.Client with { CpuUserNs = (round.Number + round.Cell) % 3 * 100_000_000L + 100_000_000 },
            })],
        };
        Assert.DoesNotContain("differs most", TextOf(noisy), StringComparison.Ordinal);
    }

    [Fact]
    public void An_interval_covers_the_difference_in_19_of_20_runs()
    {
        var random = new Random(7);
        var missed = 0;
        for (var i = 0; i < 200; i++)
        {
            // A thousand samples a window, of which 300 and 250 in expectation, from calls of the same cost.
            long[] Draw(double share) =>
                [.. Enumerable.Range(0, 6).Select(_ => (long)Enumerable.Range(0, 1000).Count(_ => random.NextDouble() < share))];
            var run = new MeasuredRun(Made(Draw(0.30), Draw(0.25), whole: 1000));
            var cells = StageShares.Compute(run);
            var interval = cells[1].MoreThan(cells[0], "kernel: send")!.Interval!.Value;
            missed += interval.Contains((0.25 * 12_000) - (0.30 * 20_000)) ? 0 : 1;
        }
        Assert.InRange(missed, 0, 200 / 20 + 7);
    }

    [Fact]
    public void Too_few_windows_have_no_interval_and_the_reason_of_a_refused_profile_is_shown()
    {
        var made = Made(Tcp, Unix);
        var few = made with
        {
            Profile = made.Profile! with
            {
                Refused = "The server was not sampled to the end: it ended.",
                Cells = [.. made.Profile.Cells.Select(cell => cell with { Windows = [.. cell.Windows.Take(5)] })],
            },
        };
        Assert.Matches(@"kernel: send +12\.0 µs +3\.6 µs +−8\.4\d\n", TextOf(few));
        Assert.Contains("\nThe server was not sampled to the end: it ended.\n", TextOf(few), StringComparison.Ordinal);
        Assert.DoesNotContain("differs most", TextOf(few), StringComparison.Ordinal);
    }

    [Fact]
    public void A_stage_of_a_newer_version_is_shown_last()
    {
        var made = Made(Tcp, Unix);
        var samples = new Dictionary<string, long> { ["dreams"] = 1, ["HTTP"] = 1 };
        var cells = made.Profile!.Cells.Select(
            cell => cell with { Windows = [.. cell.Windows.Select(window => window with { Samples = samples })] });
        var newer = made with { Profile = made.Profile with { Cells = [.. cells] } };
        Assert.Matches(@"\nHTTP .*\ndreams .*\ntogether ", TextOf(newer));
    }

    [Fact]
    public void Samples_of_a_runtime_give_shares_in_percent_without_differences()
    {
        var made = Made(Tcp, Unix);
        var text = TextOf(made with { Profile = made.Profile! with { By = RunProfile.Runtime } });

        Assert.Contains("Time of the server's code by stage", text, StringComparison.Ordinal);
        Assert.Matches(@"stage +tcp +unix\n", text);
        Assert.Matches(@"HTTP +40 % +70 %\n", text);
        Assert.Contains("differs between these windows and the counted rounds by 10 % or less (unix).", text, StringComparison.Ordinal);
        Assert.DoesNotContain("together ", text, StringComparison.Ordinal);
        Assert.DoesNotContain("CPU time of the server", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_without_a_profile_has_no_section() =>
        Assert.DoesNotContain("by stage", TextOf(Made(Tcp, Unix) with { Profile = null }), StringComparison.Ordinal);

    [Fact]
    public void The_speedscope_report_has_one_profile_per_cell_with_weights_in_CPU_time_per_call()
    {
        using var file = JsonDocument.Parse(Reports.Find("speedscope")!.Make(new ReportModel(Made(Tcp, Unix))));
        var root = file.RootElement;
        var names = root.GetProperty("shared").GetProperty("frames").GetArrayLength();
        var profiles = root.GetProperty("profiles").EnumerateArray().ToList();

        Assert.Equal("https://www.speedscope.app/file-format-schema.json", root.GetProperty("$schema").GetString());
        Assert.Equal(["tcp, 10 B", "unix, 10 B"], profiles.Select(profile => profile.GetProperty("name").GetString()));
        Assert.All(profiles, profile =>
        {
            Assert.Equal("sampled", profile.GetProperty("type").GetString());
            var weights = profile.GetProperty("weights").EnumerateArray().Select(weight => weight.GetDouble()).ToList();
            Assert.Equal(profile.GetProperty("endValue").GetDouble(), weights.Sum(), 1e-6);
            Assert.Equal(weights.Count, profile.GetProperty("samples").GetArrayLength());
            Assert.All(profile.GetProperty("samples").EnumerateArray().SelectMany(stack => stack.EnumerateArray()),
                frame => Assert.InRange(frame.GetInt32(), 0, names - 1));
        });
        Assert.Equal(20_000, profiles[0].GetProperty("endValue").GetDouble(), 1);
    }

    [Theory]
    [InlineData(9, 1, "0: 0 = 1", "a profile is about a cell that does not exist, or is there twice")]
    [InlineData(0, -1, "0: 0 = 1", "a profile has impossible numbers or stacks")]
    [InlineData(0, 1, "0: 5 = 1", "a profile has impossible numbers or stacks")]
    [InlineData(0, 1, "0: 0 = 1", null)]
    public void An_impossible_profile_is_refused(int cell, long samples, string stack, string? fault)
    {
        var counts = new Dictionary<string, long> { ["HTTP"] = samples };
        var window = new ProfileWindow { Number = 1, Calls = 1, ServerCpuNs = 1, Samples = counts };
        var profile = new RunProfile { Frames = ["main"], Cells = [new CellProfile { Cell = cell, Windows = [window], Stacks = [stack] }] };
        var json = Encoding.UTF8.GetBytes(ResultsFile.ToJson(Made(Tcp, Unix) with { Profile = profile }));
        if (fault is null)
            Assert.Equal(["main"], ResultsFile.Parse(json, "run.json").Profile!.Frames);
        else
            Assert.Contains(fault, Assert.Throws<ResultsFileException>(() => ResultsFile.Parse(json, "run.json")).Message);
    }

    private static string TextOf(RunRecord run) => Reports.Find("text")!.Make(new ReportModel(run));

    private static RunRecord Made(long[] tcp, long[] unix, double callOfUnix = 12.0) => Made(
        [.. Enumerable.Range(0, 6).Select(i => (tcp[0] * 1000) + i)], [.. Enumerable.Range(0, 6).Select(i => (unix[0] * 1000) + i)],
        whole: 100_000, callOfUnix);

    /// <summary>Makes a run of two arms, whose windows have these samples in sends and the rest in HTTP.</summary>
    private static RunRecord Made(long[] tcp, long[] unix, long whole, double callOfUnix = 12.0)
    {
        var run = Base;
        var stacks = new Dictionary<string[], long> { [["main", "send"]] = 2, [["main"]] = 1 };
        var frames = new List<string>();
        CellProfile Of(int cell, long[] sends, double call) => new()
        {
            Cell = cell,
            Windows = [.. sends.Select((samples, i) => new ProfileWindow
            {
                Number = i + 1, Calls = 1000, ServerCpuNs = (long)(call * 1000 * 1000 * (cell == 0 ? 1.02 : 1.1)),
                Samples = new Dictionary<string, long> { ["kernel: send"] = samples, ["HTTP"] = whole - samples },
            })],
            Stacks = FoldedStacks.Encode(stacks, frames),
        };
        return run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = round.Client with { Calls = 1000, CpuUserNs = 10_000_000, CpuKernelNs = 0 },
                Server = round.Server! with
                {
                    Calls = 1000, CpuUserNs = (long)((round.Cell == 0 ? 20 : callOfUnix) * 1000 * 1000) + round.Number, CpuKernelNs = 0,
                },
            })],
            Profile = new RunProfile { Cells = [Of(0, tcp, 20), Of(1, unix, callOfUnix)], Frames = frames },
        };
    }
}
