
namespace IpcBench.Host.Tests;

public class OpenFileLimitTests
{
    [Fact]
    public void The_method_Raise_sets_the_soft_limit_to_the_hard_limit()
    {
        var raised = OpenFileLimit.Raise();

        Assert.Equal(raised.Hard, raised.Soft);
        Assert.Equal(raised, OpenFileLimit.Read());
    }

    [Theory]
    [InlineData(1024, 400, true)]
    [InlineData(1024, 924, true)]
    [InlineData(1024, 925, false)]
    public void Connections_are_allowed_up_to_the_limit_of_open_files_minus_100(long soft, int connections, bool expected) =>
        Assert.Equal(expected, new OpenFileLimit(soft, soft).Allows(connections));
}
