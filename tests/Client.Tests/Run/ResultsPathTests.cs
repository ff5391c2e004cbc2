using System.Collections.Concurrent;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public sealed class ResultsPathTests : IDisposable
{
    private readonly string folder = Path.Combine(Path.GetTempPath(), $"results-{Guid.NewGuid():N}");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public void Runs_of_the_same_second_never_share_a_file()
    {
        var name = ResultsPath.NameOf(new OutputOptions { Label = "a/b" }, DateTimeOffset.UnixEpoch);
        Assert.Matches("^19700101T000000Z-[a-z.0-9]+-a-b$", name);
        var made = new ConcurrentDictionary<string, int>();
        Parallel.For(0, 40, number => Assert.True(made.TryAdd(ResultsPath.Make(folder, name, Run("") with { Seed = number }), number)));
        Assert.All(made, run => Assert.Equal(run.Value, ResultsFile.Load(run.Key).Seed));
        Assert.Equal(40, Directory.GetFiles(folder).Length);
        Assert.Contains(Path.Combine(folder, name + ".json"), made.Keys);
    }

    [Theory]
    [InlineData("naïve Größe", "naïve-Größe")]
    [InlineData("测试/run", "测试-run")]
    [InlineData("हिन्दी", "हिन्दी")]
    [InlineData("a\u0000b*c:d", "a-b-c-d")]
    public void The_letters_of_a_label_are_kept_in_the_files_name(string label, string part)
    {
        Directory.CreateDirectory(folder);
        var name = ResultsPath.NameOf(new OutputOptions { Label = label }, DateTimeOffset.UnixEpoch);
        Assert.EndsWith("-" + part, name, StringComparison.Ordinal);
    }

    [Fact]
    public void Time_stamps_do_not_go_back_when_the_clock_is_set_back()
    {
        Directory.CreateDirectory(folder);
        var clock = new MovedClock();
        var stamps = new RunClock(clock);
        var first = stamps.UtcNow;
        clock.Moved = TimeSpan.FromDays(-400);
        Assert.True(stamps.UtcNow >= first);
    }

    private static RunRecord Run(string version) => new()
    {
        ToolVersion = version,
        Started = DateTimeOffset.UnixEpoch,
        CommandLine = [],
        Seed = 1,
        Options = new RunOptionsRecord { Rounds = 1, DurationNs = 1, WarmupNs = 0, TimeoutNs = 1, Threads = 1 },
        Host = new HostInfo(),
        Cells = [],
    };

    private sealed class MovedClock : TimeProvider
    {
        public TimeSpan Moved { get; set; }

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Moved;
    }
}
