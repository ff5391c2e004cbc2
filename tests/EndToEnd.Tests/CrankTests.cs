namespace IpcBench.EndToEnd.Tests;

/// <summary>The tool as a job of dotnet/crank.</summary>
public sealed class CrankTests
{
    [Fact]
    public async Task Stdout_is_the_statistics_block_alone_and_stderr_is_silent()
    {
        var (code, output, error) = await Tool.RunAsync("--crank", "--transports", "unix", "-s", "10", "-c", "8", "-d", "200ms", "--warmup", "50ms", "--no-save");

        Assert.Equal((0, ""), (code, error));
        var lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(("#StartJobStatistics", "#EndJobStatistics", 3), (lines[0], lines[^1], lines.Length));
    }

    [Fact]
    public async Task Several_cells_are_a_usage_error()
    {
        var (code, _, error) = await Tool.RunAsync("--crank", "-s", "10,100");

        Assert.Equal(1, code);
        Assert.Contains("one size", error, StringComparison.Ordinal);
    }
}
