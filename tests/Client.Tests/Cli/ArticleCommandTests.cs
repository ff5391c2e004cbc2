using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

public class ArticleCommandTests
{
    [Fact]
    public void It_measures_what_was_published_and_what_was_meant()
    {
        var asked = Article();
        Assert.Equal([new Topology(5, 80), new Topology(400, 1)], asked.Topologies);
        Assert.Equal(["tcp", "tls", "unix", "pipe"], asked.Transports);
        Assert.Equal([10L, 100, 1_000, 10_000, 100_000, 1_000_000], asked.Sizes);
        Assert.Equal(("article", 5, true), (asked.Scenario, asked.Threads, asked.OwnServer));
    }

    [Fact]
    public void A_quick_one_has_the_smallest_and_the_largest_size_unless_others_are_asked_for()
    {
        Assert.Equal([10L, 1_000_000], Article("--quick").Sizes);
        Assert.Equal([100_000L], Article("--quick", "-s", "100k").Sizes);
        Assert.Equal([100_000L], Article("-s", "100k").Sizes);
    }

    [Fact]
    public void More_threads_than_its_five_connections_are_refused() =>
        Assert.Contains("the article has 5", Assert.Throws<UsageException>(() => Article("-t", "6")).Message, StringComparison.Ordinal);

    private static RunOptions Article(params string[] arguments)
    {
        var options = new RunCommandOptions();
        var command = new RootCommand();
        foreach (var option in options.All)
            command.Options.Add(option);
        var typed = command.Parse(arguments);
        return ArticleCommand.Shape(new RunOptionsReader(options, typed).Read(), typed.GetValue(options.Sizes) is not null, typed.GetValue(options.Quick));
    }
}
