namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the command <c>article</c>, and the page of published comparisons.</summary>
public sealed class PublishedTests
{
    [Fact]
    public async Task The_command_article_measures_both_topologies_with_and_without_TLS_and_shows_the_effects()
    {
        var (code, output, error) = await Tool.RunAsync(
            "article", "-s", "10", "-r", "1", "-d", "100ms", "--warmup", "1ms", "--no-save", "--delta", "5%", "-v");
        Assert.True(code is 0 or 3, output + error); // a call may take long on a machine with other work
        Assert.Equal(8, output.Split("Running 0.1s test @").Length - 1);
        var end = output[output.IndexOf("\nPublished\n", StringComparison.Ordinal)..];
        Assert.Matches(@"TCP with TLS, 10 B, first round +requests/s +read there +154,696 +\d", end);
        // On a slow machine a window holds fewer than four calls of 400 connections, and their ratios are withheld.
        Assert.Matches(@"10 B +unix +1\.15×( +(\d+(\.\d+)?×|–)){4}", end);
        Assert.Contains("the transport itself, with 400 connections and no encryption,", end, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_command_article_rejects_options_that_it_sets_itself()
    {
        Assert.Equal((1, "", $"-U is not offered by article ({Tool.Client} article --help)\n"),
            await Tool.RunAsync("article", "-U", "http://localhost:5000"));
        var (code, _, error) = await Tool.RunAsync("article", "-t", "401");
        Assert.Equal(1, code);
        Assert.Equal("-t 401 needs at least 401 connections, because each connection belongs to one thread, but the article has 400 "
            + $"({Tool.Client} article --help)\n", error);
    }

    [Fact]
    public async Task The_published_page_is_generated_from_the_committed_files()
    {
        var folder = Path.Combine(Repository.Root, "results", "published");
        string[] files = Directory.Exists(folder) ? Directory.GetFiles(folder, "*.json") : [];
        var (code, output, error) = await Tool.RunAsync(["report", .. files, "--format", "published"]);
        Assert.True(code == 0, error);
        var page = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "docs", "published-comparisons.md"), TestContext.Current.CancellationToken);
        Assert.Equal(page.ReplaceLineEndings("\n").Trim(), output.ReplaceLineEndings("\n").Trim());
    }

    [Fact]
    public async Task A_report_without_a_file_is_a_usage_error()
    {
        var (code, _, error) = await Tool.RunAsync("report");
        Assert.Equal(1, code);
        Assert.Equal($"report needs a results file, as in GrpcBench report results/….json ({Tool.Client} report --help)\n", error);
    }
}
