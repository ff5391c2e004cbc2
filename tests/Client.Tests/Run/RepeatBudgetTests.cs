using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class RepeatBudgetTests
{
    [Theory]
    [InlineData(3, 0)]
    [InlineData(5, 1)]
    [InlineData(7, 1)]
    [InlineData(12, 2)]
    public void At_most_a_fifth_of_the_planned_rounds_is_repeated(int planned, int expected)
    {
        var budget = new RepeatBudget(planned);

        Assert.Equal(expected, Enumerable.Range(1, planned).Count(budget.TryRepeat));
        Assert.Equal(expected, budget.Repeated);
    }

    [Fact]
    public void A_round_is_repeated_once()
    {
        var budget = new RepeatBudget(20);

        Assert.True(budget.TryRepeat(1));
        Assert.False(budget.TryRepeat(1));
        Assert.True(budget.TryRepeat(2));
    }

    [Fact]
    public void With_no_planned_number_a_fifth_of_the_rounds_so_far_may_be()
    {
        var budget = new RepeatBudget(0);

        Assert.Equal([5, 10, 15], Enumerable.Range(1, 19).Where(budget.TryRepeat));
    }
}
