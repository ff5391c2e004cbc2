using System.Text.Json;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the tool as a job of dotnet/crank.</summary>
public sealed class CrankTests
{
    [Fact]
    public async Task Standard_output_is_only_the_statistics_block_that_compare_reads()
    {
        var (code, output, error) = await Tool.RunAsync(
            "--crank", "--transports", "unix", "-s", "10", "-c", "8", "-d", "200ms", "--warmup", "1ms", "--no-save");

        Assert.Equal((0, ""), (code, error));
        var lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(("#StartJobStatistics", "#EndJobStatistics", 3), (lines[0], lines[^1], lines.Length));

        using var block = JsonDocument.Parse(lines[1]);
        // crank's controller keeps each value under the first of its names.
        var results = block.RootElement.GetProperty("Measurements").EnumerateArray()
            .ToDictionary(item => item.GetProperty("name").GetString()!.Split(';')[0], item => item.GetProperty("value"));
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.json");
        await File.WriteAllTextAsync(path, JsonSerializer.Serialize(
            new { returnCode = 0, jobResults = new { jobs = new { load = new { results } } } }), TestContext.Current.CancellationToken);

        (code, var comparison, error) = await Tool.RunAsync("compare", path, path, "--verbose");

        File.Delete(path);
        Assert.Equal((0, ""), (code, error));
        Assert.Contains("unix", comparison, StringComparison.Ordinal);
        Assert.Contains("requests/s", comparison, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_option_crank_with_several_cells_is_a_usage_error()
    {
        var (code, _, error) = await Tool.RunAsync("--crank", "-s", "10,100");

        Assert.Equal(1, code);
        Assert.Equal(
            "--crank measures one cell: give one server or transport, one size (-s or --call), and one value for every other option "
                + $"that takes a list ({Tool.Client} --help)\n", error);
    }

    [Fact]
    public async Task The_option_crank_with_a_second_endpoint_for_the_A_A_test_is_a_usage_error()
    {
        var (code, _, error) = await Tool.RunAsync("--crank", "--aa", "--transports", "unix", "-s", "10", "-c", "8", "-r", "1");

        Assert.Equal(1, code);
        Assert.StartsWith("--crank measures one cell: ", error);
    }

    [Fact]
    public void The_server_of_the_local_profile_is_not_reachable_from_other_machines()
    {
        var lines = File.ReadAllLines(Path.Combine(Repository.Root, "crank", "ipcbench.yml"));
        var local = lines.SkipWhile(line => line != "  local:").Skip(1).TakeWhile(line => line.StartsWith("   ", StringComparison.Ordinal));
        // A profile's variables override the common variables. Both are loopback addresses, and nothing else sets where the server listens.
        Assert.Contains("      listenAddress: localhost", local);
        var common = lines.TakeWhile(line => line != "jobs:").Select(line => line.Split('#')[0].TrimEnd());
        Assert.Contains("  listenAddress: localhost", common);
        var listens = lines.Where(line => line.Trim().StartsWith("listen:", StringComparison.Ordinal)).Select(line => line.Trim()).ToList();
        Assert.Equal(4, listens.Count);
        const string own = "^listen: \"(https?://{{listenAddress}}:{{serverPort}}|unix:{{socket}}|pipe:/{{pipe}})\"$";
        Assert.All(listens, line => Assert.Matches(own, line));
    }
}
