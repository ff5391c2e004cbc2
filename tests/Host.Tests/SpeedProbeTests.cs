
namespace IpcBench.Host.Tests;

public class SpeedProbeTests
{
    [Fact]
    public void The_probe_takes_milliseconds_and_not_seconds()
    {
        var readings = Enumerable.Range(0, 5).Select(_ => SpeedProbe.Time()).Order().ToList();

        // A processor of 1 to 10 GHz; anything shorter means that the compiler removed the work.
        Assert.InRange(readings[2], 1_000_000, 100_000_000);
    }

    [Fact]
    public void A_memory_step_takes_as_long_as_a_load_from_cache_or_memory() =>
        // A load from the cache next to the core takes about a nanosecond, one from memory below a microsecond, page tables included; the
        // fewest of five, since a busy machine interrupts.
        Assert.InRange(Enumerable.Range(0, 5).Min(_ => SpeedProbe.MemoryStep()), 0.3, 2_000);
}
