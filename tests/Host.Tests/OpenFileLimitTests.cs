
namespace IpcBench.Host.Tests;

public class OpenFileLimitTests
{
    [Fact]
    public void Raise_sets_the_soft_limit_to_the_hard_limit()
    {
        var raised = OpenFileLimit.Raise();

        Assert.Equal(raised.Hard, raised.Soft);
        Assert.Equal(raised, OpenFileLimit.Read());
    }

    [Theory]
    [InlineData(1024, 400, true)]
    [InlineData(1024, 924, true)]
    [InlineData(1024, 925, false)]
    public void All_open_files_but_100_are_allowed_for_connections(long soft, int connections, bool expected) =>
        Assert.Equal(expected, new OpenFileLimit(soft, soft).Allows(connections));
}
