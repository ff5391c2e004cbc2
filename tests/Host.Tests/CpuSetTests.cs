
namespace IpcBench.Host.Tests;

public class CpuSetTests
{
    [Theory]
    [InlineData("0", "0")]
    [InlineData("0-1,3", "0-1,3")]
    [InlineData("3, 1,0,2-2", "0-3")]
    [InlineData("5,7", "5,7")]
    public void CPU_numbers_and_ranges_are_read_and_printed_in_the_shortest_form(string text, string expected)
    {
        Assert.True(CpuSet.TryParse(text, out var set, out _));
        Assert.Equal(expected, set.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData(",")]
    [InlineData("a")]
    [InlineData("2-1")]
    [InlineData("-1")]
    [InlineData("1-2-3")]
    [InlineData("0-99999999")]
    public void An_invalid_CPU_set_is_rejected_with_the_text_and_an_example(string text)
    {
        Assert.False(CpuSet.TryParse(text, out _, out var error));
        Assert.Equal($"'{text}' is not a CPU set: write numbers and ranges, as in 0-1,3", error);
    }
}
