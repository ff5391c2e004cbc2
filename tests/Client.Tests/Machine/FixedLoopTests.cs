using IpcBench.Client.Machine;

namespace IpcBench.Client.Tests.Machine;

public class FixedLoopTests
{
    [Fact]
    public void It_takes_milliseconds_and_not_seconds()
    {
        var readings = Enumerable.Range(0, 5).Select(_ => FixedLoop.Time()).Order().ToList();

        // A processor of 1 to 10 GHz; anything shorter means that the compiler removed the work.
        Assert.InRange(readings[2], 1_000_000, 100_000_000);
    }
}
