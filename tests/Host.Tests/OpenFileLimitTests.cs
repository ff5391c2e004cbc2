
namespace IpcBench.Host.Tests;

public class OpenFileLimitTests
{
    [Fact]
    public void Raising_reaches_the_hard_limit()
    {
        var raised = OpenFileLimit.Raise();

        Assert.Equal(raised.Hard, raised.Soft);
        Assert.Equal(raised, OpenFileLimit.Read());
    }

    [Theory]
    [InlineData(1024, 400, true)]
    [InlineData(1024, 924, true)]
    [InlineData(1024, 925, false)]
    public void Connections_need_a_descriptor_each_and_the_runtime_some(long soft, int connections, bool expected) =>
        Assert.Equal(expected, new OpenFileLimit(soft, soft).Allows(connections));
}
