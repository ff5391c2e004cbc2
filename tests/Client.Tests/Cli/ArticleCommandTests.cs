using IpcBench.Client.Experiments.Article;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

public class ArticleCommandTests
{
    [Fact]
    public void The_command_article_has_the_published_shapes_and_transports_and_sizes_by_default()
    {
        var asked = Article();
        Assert.Equal([new Topology(5, 80), new Topology(400, 1)], asked.Topologies);
        Assert.Equal(["tcp", "tls", "unix", "pipe"], asked.Transports);
        Assert.Equal([10L, 100, 1_000, 10_000, 100_000, 1_000_000], asked.Sizes);
        Assert.Equal(("article", 5, true), (asked.Scenario, asked.Threads, asked.OwnServer));
    }

    [Fact]
    public void A_quick_article_run_has_the_smallest_and_the_largest_size_by_default()
    {
        Assert.Equal([10L, 1_000_000], Article("--quick").Sizes);
        Assert.Equal([100_000L], Article("--quick", "-s", "100k").Sizes);
        Assert.Equal([100_000L], Article("-s", "100k").Sizes);
    }

    [Fact]
    public void More_threads_than_the_connections_of_the_article_are_rejected() =>
        Assert.Equal(
            "-t 401 needs at least 401 connections, because each connection belongs to one thread, but the article has 400",
            Typed.Refused(ArticleExperiment.Preset, "-t", "401"));

    private static RunOptions Article(params string[] arguments) => Typed.Read(ArticleExperiment.Preset, arguments);
}
