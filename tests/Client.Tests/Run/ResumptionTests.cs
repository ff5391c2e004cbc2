using System.CommandLine;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

/// <summary><c>--resume FILE -r +4</c>: what may be gone on with, and what that makes of the file.</summary>
public sealed class ResumptionTests : IDisposable
{
    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("resume-");

    public void Dispose() => folder.Delete(recursive: true);

    [Fact]
    public void Each_time_is_another_look_at_the_stricter_level_and_the_file_records_it()
    {
        var kept = Run(rounds: 12);
        Assert.Equal(0.05, kept.Options.Alpha());

        var again = new Resumption("x", kept, 4).Continue(kept with { CommandLine = ["--resume"] });
        Assert.Equal([12, 16], again.Options.Looks);
        Assert.Equal((16, StoppingRule.AlphaOfLook, "running"), (again.Options.Rounds, again.Options.Alpha(), again.Ending));
        Assert.Equal(kept.CommandLine, again.CommandLine);
        Assert.Equal(kept.Rounds, again.Rounds);

        var third = new Resumption("x", again with { Rounds = [.. kept.Rounds, Round(16)] }, 2).Continue(again);
        Assert.Equal([12, 16, 18], third.Options.Looks);
    }

    [Fact]
    public void The_looks_of_automatic_rounds_count_too() => Assert.Equal(
        [8, 12, 17, 20, 24],
        new Resumption("x", Run(rounds: 20, auto: true), 4).Continue(Run(rounds: 20)).Options.Looks);

    [Fact]
    public void Another_machine_build_or_plan_is_refused()
    {
        var kept = Run();
        Refused("its CPU was 'A' and is 'B' now", kept with { Host = kept.Host with { CpuModel = "B" } });
        Refused("its tool was '1' and is '2' now", kept with { ToolVersion = "2" });
        Refused("its kernel was '6' and is '7' now", kept with { Host = kept.Host with { Kernel = "7" } });
        Refused("its duration was '1 s' and is '2 s' now", kept with { Options = kept.Options with { DurationNs = 2_000_000_000 } });
        Refused("its cells are others now",
            kept with { Cells = [kept.Cells[0] with { Key = kept.Cells[0].Key with { Corpus = "other" } }] });

        void Refused(string why, RunRecord now) => Assert.Equal(
            $"--resume: no round can be added to x: {why}, so rounds would not be of one run",
            Assert.Throws<EnvironmentException>(() => new Resumption("x", kept, 4).Continue(now)).Message);
    }

    [Fact]
    public async Task What_cannot_be_resumed_is_refused_in_a_sentence()
    {
        var file = Save(Run(rounds: 12));
        Assert.Equal($"--resume: there is no file {file}x", await SeenAsync("--resume", file + "x"));
        Assert.Equal("-r '4' with --resume is the number of rounds to add: write -r +4", await SeenAsync("--resume", file, "-r", "4"));
        Assert.Equal("-r '0' must be between 1 and 1000", await SeenAsync("--resume", file, "-r", "+0"));
        Assert.Equal("--resume takes everything but -r, -v and --format from the file: leave out -s",
            await SeenAsync("--resume", file, "-s", "10"));
        Assert.Equal($"--resume: {file} does not keep the secrets of its command line, so its plan cannot be repeated",
            await SeenAsync("--resume", Save(Run() with { CommandLine = ["http", "-H", "Cookie: (hidden)", "http://x"] })));
        Assert.Equal($"--resume: {file} was made with options that are not known here: --unknown",
            await SeenAsync("--resume", Save(Run() with { CommandLine = ["--unknown"] })));
        Assert.Equal($"--resume: {file} was written a moment ago and is not ended: that run seems to go on",
            await SeenAsync("--resume", Save(Run() with { Ending = "running", Finished = null })));
        File.SetLastWriteTimeUtc(file, DateTimeOffset.UtcNow.AddHours(1).UtcDateTime); // the clock was set back meanwhile
        Assert.Equal(4, Resumption.Open(file, 4).More);
        var often = Run();
        Assert.Equal($"--resume: {file} has been looked at 8 times, and more looks would invent differences: measure anew",
            await SeenAsync("--resume", Save(often with { Options = often.Options with { Looks = [1, 2, 3, 4, 5, 6, 7, 8] } })));
        File.WriteAllText(file, "{");
        Assert.Equal($"--resume: {file} is truncated: the JSON ends in the middle", await SeenAsync("--resume", file));
    }

    private static async Task<string> SeenAsync(params string[] arguments)
    {
        var typed = CommandTree.Create(arguments).Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        Assert.Empty(typed.Errors);
        var refusal = await Assert.ThrowsAsync<UsageException>(() => typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken));
        return refusal.Message;
    }

    private string Save(RunRecord run)
    {
        var file = Path.Combine(folder.FullName, "run.json");
        ResultsFile.Save(file, run);
        return file;
    }

    private static RunRecord Run(int rounds = 1, bool auto = false) => new()
    {
        ToolVersion = "1",
        Started = DateTimeOffset.UnixEpoch,
        Finished = DateTimeOffset.UnixEpoch,
        Ending = "complete",
        CommandLine = ["--quick"],
        Seed = 1,
        Options = new RunOptionsRecord
        {
            Rounds = auto ? 0 : rounds,
            RoundsAuto = auto,
            DurationNs = 1_000_000_000,
            WarmupNs = 0,
            TimeoutNs = 1,
            Threads = 1,
        },
        Host = new HostInfo { CpuModel = "A", Kernel = "6" },
        Cells = [new Cell { Key = new CellKey { Transport = "tcp", Size = 10, Connections = 4 }, Address = "http://localhost:1" }],
        Rounds = [Round(rounds)],
    };

    private static Measurement Round(int number) => MadeUp.Round(number);
}

/// <summary>Measurements that nobody made.</summary>
internal static class MadeUp
{
    /// <summary>A second of so many calls on four connections.</summary>
    public static Measurement Round(int number, int cell = 0, long calls = 0) => new()
    {
        Cell = cell,
        Number = number,
        At = DateTimeOffset.UnixEpoch,
        WindowNs = 1_000_000_000,
        Started = calls,
        Ok = calls,
        Completed = calls,
        PayloadBytes = 0,
        Latency = "",
        LatencySumNs = 0,
        Client = new ProcessUsage { CpuUserNs = 1, CpuKernelNs = 1 },
        Connections = new ConnectionStats { Requested = 4, Opened = 4, Active = 4 },
    };
}
