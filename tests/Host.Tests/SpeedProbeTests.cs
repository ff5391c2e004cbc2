
namespace IpcBench.Host.Tests;

public class SpeedProbeTests
{
    [Fact]
    public void The_probe_takes_milliseconds_and_not_seconds()
    {
        // The limits fit processors of 1 to 10 GHz. A shorter time means that the compiler removed the work. The test takes
        // the shortest of five readings, because a busy machine interrupts some.
        Assert.InRange(Enumerable.Range(0, 5).Min(_ => SpeedProbe.Time()), 1_000_000, 100_000_000);
    }

    [Fact]
    public void One_step_of_the_memory_probe_takes_between_0_3_and_2000_nanoseconds() =>
        // A load from the nearest cache takes about a nanosecond, and a load from memory less than a microsecond. The
        // test takes the shortest of five steps, because a busy machine interrupts some.
        Assert.InRange(Enumerable.Range(0, 5).Min(_ => SpeedProbe.MemoryStep()), 0.3, 2_000);
}
