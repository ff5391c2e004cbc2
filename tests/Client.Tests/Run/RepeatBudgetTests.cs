using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class RepeatBudgetTests
{
    [Theory]
    [InlineData(9, 3, 0)]
    [InlineData(15, 3, 1)]
    [InlineData(100, 3, 6)]
    public void At_most_a_fifth_of_the_planned_measurements_is_repeated(int planned, int together, int expected)
    {
        var budget = new RepeatBudget(planned);

        Assert.Equal(expected, Enumerable.Range(1, planned).Count(soFar => budget.TryRepeat(together, soFar)));
    }

    [Fact]
    public void Without_a_planned_number_at_most_a_fifth_of_the_measurements_so_far_is_repeated()
    {
        var budget = new RepeatBudget(0);

        Assert.Equal([10, 20, 30], Enumerable.Range(1, 39).Where(soFar => budget.TryRepeat(2, soFar)));
    }
}
