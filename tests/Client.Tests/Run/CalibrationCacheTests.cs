using IpcBench.Analysis.Results;
using IpcBench.Client.Protocols;
using IpcBench.Client.Run;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public sealed class CalibrationCacheTests : IDisposable
{
    private static readonly HostInfo Host = new() { Kernel = "6.8", CpuModel = "X", LogicalCpus = 8 };
    private static readonly LoadOptions Load = new()
    {
        Address = Address.Parse("http://localhost:1"),
        Size = 10,
        Connections = 400,
        Threads = 5,
    };

    private readonly string folder = Path.Combine(Path.GetTempPath(), $"calibration-{Guid.NewGuid():N}");

    private string File => Path.Combine(folder, "deep", "calibration.json");

    public void Dispose()
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }

    private static Calibration Found(double rate, string transport = "tcp", long size = 10) =>
        new() { Transport = transport, Size = size, Connections = 400, Rate = rate, ClientCpuNs = 11_000 };

    [Fact]
    public void What_was_kept_is_found_again_by_another_process_and_the_newest_wins()
    {
        new CalibrationCache(File).Keep("here", [Found(1000), Found(2000, "unix")]);
        new CalibrationCache(File).Keep("here", [Found(1100)]);

        var cache = new CalibrationCache(File);
        Assert.Equal(Found(1100), cache.Find("here", Found(0)));
        Assert.Equal(Found(2000, "unix"), cache.Find("here", Found(0, "unix")));
    }

    [Fact]
    public void Another_place_size_or_transport_is_not_known()
    {
        var cache = new CalibrationCache(File);
        cache.Keep("here", [Found(1000)]);

        Assert.Null(cache.Find("there", Found(0)));
        Assert.Null(cache.Find("here", Found(0, "unix")));
        Assert.Null(cache.Find("here", Found(0, size: 100)));
    }

    [Fact]
    public void Old_ceilings_are_forgotten()
    {
        new CalibrationCache(File).Keep("here", [Found(1000)]);
        var text = System.IO.File.ReadAllText(File);
        System.IO.File.WriteAllText(File, text.Replace($"{DateTimeOffset.UtcNow.Year}-", "2020-"));

        Assert.Null(new CalibrationCache(File).Find("here", Found(0)));
    }

    [Theory]
    [InlineData("")]
    [InlineData("{ not json")]
    [InlineData("null")]
    public void A_file_that_is_no_cache_is_started_anew(string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(File)!);
        System.IO.File.WriteAllText(File, text);
        var cache = new CalibrationCache(File);

        Assert.Null(cache.Find("here", Found(0)));
        cache.Keep("here", [Found(5)]);
        Assert.Equal(Found(5), cache.Find("here", Found(0)));
    }

    [Fact]
    public void A_folder_that_cannot_be_made_is_no_error()
    {
        var cache = new CalibrationCache("/proc/nothing/calibration.json");

        cache.Keep("here", [Found(5)]);

        Assert.Null(cache.Find("here", Found(0)));
    }

    [Fact]
    public void Each_thing_that_moves_a_ceiling_makes_another_environment()
    {
        string[] environs =
        [
            CalibrationCache.EnvironmentKey(Host, Load, ""),
            CalibrationCache.EnvironmentKey(Host, Load, "0-1"),
            CalibrationCache.EnvironmentKey(Host with { CpuQuota = 2 }, Load, ""),
            CalibrationCache.EnvironmentKey(Host with { ClientCpus = "0" }, Load, ""),
            CalibrationCache.EnvironmentKey(
                Host with { RuntimeVariables = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" } }, Load, ""),
            CalibrationCache.EnvironmentKey(Host, Load with { Threads = 1 }, ""),
            CalibrationCache.EnvironmentKey(Host, Load with { ClientSettings = "socket-buffer=65536" }, ""),
        ];

        Assert.Equal(environs.Length, environs.Distinct().Count());
        Assert.Equal(environs[0], CalibrationCache.EnvironmentKey(
            Host with { OpenFileLimit = 7 }, Load with { Size = 5, Address = Address.Parse("pipe:x") }, ""));
    }
}
