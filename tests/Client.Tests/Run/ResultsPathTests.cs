using System.Collections.Concurrent;
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
        var made = new ConcurrentBag<string>();
        Parallel.For(0, 40, _ => made.Add(ResultsPath.Reserve(folder, name)));
        Assert.Equal(40, made.Distinct().Count());
        Assert.All(made, path => Assert.True(File.Exists(path)));
        Assert.Contains(Path.Combine(folder, name + ".json"), made);
    }

    [Fact]
    public void A_clock_that_is_set_back_moves_no_stamp_and_ages_no_calibration()
    {
        var clock = new MovedClock();
        var stamps = new RunClock(clock);
        var first = stamps.UtcNow;
        clock.Moved = TimeSpan.FromDays(-400);
        Assert.True(stamps.UtcNow >= first);

        var found = new Analysis.Results.Calibration { Transport = "tcp", Size = 10, Connections = 1, Rate = 5 };
        var cache = new CalibrationCache(Path.Combine(folder, "calibration.json"), clock);
        clock.Moved = TimeSpan.Zero;
        cache.Keep("here", [found]);
        Assert.NotNull(cache.Find("here", found));
        clock.Moved = TimeSpan.FromDays(-1);
        Assert.Null(cache.Find("here", found));
        cache.Keep("here", [found with { Rate = 6 }]);
        Assert.Equal(6, cache.Find("here", found)!.Rate);
    }

    [Theory]
    [InlineData("[null]")]
    [InlineData("[{}]")]
    [InlineData("{}")]
    public void A_cache_of_something_else_is_an_empty_one(string json)
    {
        Directory.CreateDirectory(folder);
        var path = Path.Combine(folder, "calibration.json");
        File.WriteAllText(path, json);
        Assert.Null(new CalibrationCache(path).Find("here", new Analysis.Results.Calibration { Transport = "tcp", Size = 10,
            Connections = 1, Rate = 5 }));
    }

    private sealed class MovedClock : TimeProvider
    {
        public TimeSpan Moved { get; set; }

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Moved;
    }
}
