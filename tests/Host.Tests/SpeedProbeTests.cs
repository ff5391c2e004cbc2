
namespace IpcBench.Host.Tests;

public class SpeedProbeTests
{
    [Fact]
    public void It_takes_milliseconds_and_not_seconds()
    {
        var readings = Enumerable.Range(0, 5).Select(_ => SpeedProbe.Time()).Order().ToList();

        // A processor of 1 to 10 GHz; anything shorter means that the compiler removed the work.
        Assert.InRange(readings[2], 1_000_000, 100_000_000);
    }
}
