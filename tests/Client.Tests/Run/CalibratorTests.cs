using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public class CalibratorTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private static LoadOptions Load(string address, long size) =>
        new() { Address = Address.Parse(address), Size = size, Connections = 4, Threads = 1 };

    private static CalibrationOptions Options(CalibrationCache? cache, List<string> notes) => new()
    {
        Host = HostRecord.Read(),
        Warmup = TimeSpan.FromMilliseconds(100),
        Duration = TimeSpan.FromMilliseconds(300),
        ForeignShare = 2,
        Cache = cache,
        Note = notes.Add,
    };

    [Fact]
    public Task Every_kind_of_socket_and_size_has_its_ceiling_and_the_second_time_it_is_known() => TestLoad.InTheEndAsync(async () =>
    {
        var file = Path.Combine(Path.GetTempPath(), $"calibration-{Guid.NewGuid():N}.json");
        LoadOptions[] loads =
        [
            Load("http://localhost:1", 10), Load("unix:/tmp/x", 10), Load("pipe:x", 10), Load("unix:/tmp/x", 1_000_000),
            Load("unix:/tmp/y", 10),
        ];
        var notes = new List<string>();
        try
        {
            var found = await Calibrator.RunAsync(loads, Options(new CalibrationCache(file), notes), CancellationToken.None)
                .WaitAsync(Limit);

            Assert.Equal(
                [("tcp", 10L), ("unix", 10L), ("pipe", 10L), ("unix", 1_000_000L)],
                found.Select(calibration => (calibration.Transport, calibration.Size)));
            Assert.All(found, calibration => Assert.True(
                calibration is { Rate: > 10, ClientCpuNs: > 0, Connections: 4, Streams: 1 }, $"{calibration}"));
            Assert.Equal(4, notes.Count);

            var again = await Calibrator.RunAsync(loads, Options(new CalibrationCache(file), notes), CancellationToken.None)
                .WaitAsync(Limit);
            Assert.Equal(found, again);
            Assert.Equal(4, notes.Count);
        }
        finally
        {
            File.Delete(file);
        }
    });

    [Fact]
    public Task A_method_has_the_ceiling_of_replies_as_large_as_its_own_unless_its_requests_are_long() => TestLoad.InTheEndAsync(async () =>
    {
        GrpcCall Call(int request) => new()
        {
            Method = "a.B/C",
            Messages = [new byte[request]],
            Corpus = "",
            Metadata = [],
        };
        LoadOptions[] loads =
        [
            Load("unix:/tmp/x", 11) with { Call = Call(5) }, Load("unix:/tmp/y", 3000) with { Call = Call(2_000) },
        ];

        var found = await Calibrator.RunAsync(loads, Options(null, []), CancellationToken.None).WaitAsync(Limit);

        Assert.True(Assert.Single(found) is { Transport: "unix", Size: 11, Rate: > 10 }, string.Join(", ", found));
    });

    [Fact]
    public Task On_a_machine_that_others_use_what_was_seen_is_no_ceiling() => TestLoad.InTheEndAsync(async () =>
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "what others use is not told here");
        var notes = new List<string>();

        // Below any share there can be, so that the quietest machine counts as a busy one.
        var found = await Calibrator.RunAsync(
            [Load("unix:/tmp/x", 10)], Options(null, notes) with { ForeignShare = -2 }, CancellationToken.None).WaitAsync(Limit);

        Assert.Empty(found);
        Assert.Matches("^not calibrated: unix at 10 bytes, other programs used -?[0-9]+ % of the machine$", Assert.Single(notes));
    });

    [Fact]
    public async Task A_responder_that_is_gone_says_so_in_one_sentence()
    {
        var responder = await CalibrationResponder.StartAsync(["unix"], Options(null, []), CancellationToken.None).WaitAsync(Limit);
        Assert.True(responder.CpuNs > 0);
        await responder.DisposeAsync().AsTask().WaitAsync(Limit);
        Assert.Equal("the responder has ended", Assert.Throws<IOException>(() => responder.CpuNs).Message);
    }

    [Theory]
    [InlineData(100_000, 150, 4)]
    [InlineData(4_000, 200, 3)]
    [InlineData(1_000, 800, 1)]
    [InlineData(10, 3_000, 1)]
    public void Slow_calls_get_longer_and_fewer_windows(double rate, int milliseconds, int windows)
    {
        var load = Load("unix:/tmp/x", 10) with { Connections = 400 };

        Assert.Equal(
            (TimeSpan.FromMilliseconds(milliseconds), windows), Calibrator.Plan(load, rate, new CalibrationOptions { Host = new() }));
    }

    [Fact]
    public async Task What_has_no_responder_of_its_kind_is_left_out()
    {
        LoadOptions[] loads =
        [
            Load("https://localhost:1", 10), Load("unix:/tmp/x", 10) with { Client = "grpc-dotnet" },
            Load("unix:/tmp/x", 10) with { Protocol = "echo" },
        ];

        Assert.Empty(await Calibrator.RunAsync(loads, Options(null, []), CancellationToken.None).WaitAsync(Limit));
    }

    [Fact]
    public async Task Ctrl_C_gives_up()
    {
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        var options = Options(null, []) with { Duration = TimeSpan.FromSeconds(50) };

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Calibrator.RunAsync([Load("unix:/tmp/x", 10)], options, stop.Token).WaitAsync(Limit));
    }
}
