using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Plan;

public class RoundOrderTests
{
    private static readonly Func<int, object> Alone = cell => cell;
    private static readonly int[] Cells = [.. Enumerable.Range(0, 18)];

    [Fact]
    public void Each_round_has_every_cell_once_and_the_same_seed_gives_the_same_order()
    {
        var order = RoundOrder.Shuffle(Cells, Alone, 42, 1);
        Assert.Equal(Cells, order.Order());
        Assert.Equal(order, RoundOrder.Shuffle(Cells, Alone, 42, 1));
        Assert.NotEqual(order, RoundOrder.Shuffle(Cells, Alone, 42, 2));
        Assert.NotEqual(order, RoundOrder.Shuffle(Cells, Alone, 43, 1));
    }

    [Fact]
    public void Compared_cells_are_measured_together()
    {
        var blocks = RoundOrder.Shuffle(Cells, cell => cell % 6, 42, 1).Chunk(3).ToList();
        Assert.All(blocks, block => Assert.Single(block.Select(cell => cell % 6).Distinct()));
        Assert.NotEqual(Enumerable.Range(0, 6), blocks.Select(block => block[0] % 6));
    }

    [Fact]
    public void Each_block_of_slices_has_a_random_order_and_the_same_seed_gives_the_same_orders()
    {
        var blocks = RoundOrder.Blocks(Cells[..2], 42, 1).Take(1000).ToList();
        Assert.All(blocks, block => Assert.Equal([0, 1], block.Order()));
        // Both counts are expected to be 500, with a standard deviation of 16.
        Assert.InRange(blocks.Count(block => block[0] == 0), 420, 580);
        Assert.InRange(blocks.Zip(blocks.Skip(1)).Count(pair => pair.First[0] == pair.Second[0]), 420, 580);
        Assert.Equal(blocks, RoundOrder.Blocks(Cells[..2], 42, 1).Take(1000));
        Assert.NotEqual(blocks, RoundOrder.Blocks(Cells[..2], 42, 2).Take(1000));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(6)]
    public void Every_cell_is_equally_likely_at_every_position(int perBlock)
    {
        const int rounds = 6_000;
        var visits = new int[6, 6];
        for (var round = 0; round < rounds; round++)
        {
            var order = RoundOrder.Shuffle(Enumerable.Range(0, 6), cell => cell / perBlock, 7, round);
            for (var place = 0; place < 6; place++)
                visits[order[place], place]++;
        }

        // 1,000 are expected, with a standard deviation of 29. A fair shuffle stays within five of these deviations.
        Assert.All(visits.Cast<int>(), count => Assert.InRange(count, 1000 - 145, 1000 + 145));
    }
}
