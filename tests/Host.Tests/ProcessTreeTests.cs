namespace IpcBench.Host.Tests;

public class ProcessTreeTests
{
    [Fact]
    public void A_name_with_blanks_and_brackets_does_not_shift_the_numbers()
    {
        var files = new CapturedFiles((
            "/proc/7/stat",
            "7 (my (odd) prog) S 3 7 7 0 -1 4194304 100 200 0 0 11 22 33 44 20 0 1 0 500 1000000 321 18446744073709551615 1 1"));
        var stat = ProcessTree.StatOf(files, 7);
        Assert.NotNull(stat);
        Assert.Equal([3L, 11, 22, 33, 44, 321], [stat[1], stat[11], stat[12], stat[13], stat[14], stat[21]]);
    }
}
