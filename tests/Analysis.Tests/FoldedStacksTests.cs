using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public class FoldedStacksTests
{
    [Fact]
    public void Decoded_stacks_equal_the_encoded_stacks_and_common_first_frames_are_stored_once()
    {
        var names = new List<string>();
        var lines = FoldedStacks.Encode(
            new Dictionary<string[], long> { [["main", "a", "b"]] = 5, [["main", "a"]] = 3, [["main", "a", "b", "c d"]] = 2 }, names);

        Assert.Equal(["0: 0 1 = 3", "2: 2 = 5", "3: 3 = 2"], lines);
        Assert.Equal(["main", "a", "b", "c d"], names);
        Assert.Equal([("main a", 3), ("main a b", 5), ("main a b c d", 2)], FoldedStacks.Decode(lines, names.Count)
            .Select(stack => (string.Join(' ', stack.Frames.Select(frame => names[frame])), stack.Samples)));
    }

    [Fact]
    public void Rare_stacks_are_left_out_and_the_encoded_size_stays_below_a_limit()
    {
        var kept = FoldedStacks.Encode(new Dictionary<string[], long> { [["a"]] = 96, [["b"]] = 4 }, []);
        Assert.Equal(["0: 0 = 96"], kept);

        var many = Enumerable.Range(0, 20_000).ToDictionary(i => new[] { "main", FormattableString.Invariant($"f{i}") }, _ => 1L);
        Assert.InRange(FoldedStacks.Encode(many, []).Sum(line => line.Length), 5_000, 40_000);
    }

    [Theory]
    [InlineData("0: 7 = 1")]
    [InlineData("1: 0 = 1")]
    [InlineData("0: 0 = many")]
    [InlineData("0: x = 1")]
    [InlineData("")]
    [InlineData("nonsense")]
    public void A_line_that_is_no_stack_is_refused(string line) =>
        Assert.Throws<FormatException>(() => FoldedStacks.Decode([line], names: 2).ToList());
}
