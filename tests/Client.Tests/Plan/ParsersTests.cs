using IpcBench.Client.Plan;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Plan;

public class ParsersTests
{
    [Theory]
    [InlineData("10", 10)]
    [InlineData("1k", 1_000)]
    [InlineData("1.5k", 1_500)]
    [InlineData("1M", 1_000_000)]
    [InlineData("64KiB", 65_536)]
    [InlineData("1MiB", 1_048_576)]
    [InlineData("0", 0)]
    public void Counts_are_decimal_unless_the_unit_is_binary(string text, long expected) =>
        Assert.Equal(expected, Parsers.Count(text, "-s"));

    [Theory]
    [InlineData("")]
    [InlineData("-1")]
    [InlineData("1e3")]
    [InlineData("1,000")]
    [InlineData("0.5")]
    [InlineData("ten")]
    [InlineData("1kk")]
    [InlineData("99999999999999999999")]
    [InlineData("NaN")]
    public void An_invalid_count_is_rejected_with_the_options_name(string text) =>
        Assert.Equal($"-s '{text}' is not a whole number such as 10, 1k, 64KiB or 1M", Refused(() => Parsers.Count(text, "-s")));

    [Theory]
    [InlineData("500ms", 0.5)]
    [InlineData("20s", 20)]
    [InlineData("2m", 120)]
    [InlineData("3", 3)]
    [InlineData("250us", 0.00025)]
    public void Durations_have_units_and_bare_numbers_are_seconds(string text, double seconds) =>
        Assert.Equal(seconds, Parsers.Duration(text, "-d").TotalSeconds, 6);

    [Theory]
    [InlineData("s")]
    [InlineData("-1s")]
    [InlineData("1 year")]
    [InlineData("99999h")]
    [InlineData("NaN")]
    [InlineData("NaNs")]
    [InlineData("Infinityus")]
    [InlineData("∞")]
    public void An_invalid_duration_is_rejected(string text) =>
        Assert.Equal($"-d '{text}' is not a duration such as 500ms, 20s or 2m", Refused(() => Parsers.Duration(text, "-d")));

    [Theory]
    [InlineData("20k", 20_000)]
    [InlineData("1.5k/s", 1_500)]
    [InlineData("7", 7)]
    public void A_rate_is_read_with_or_without_per_second(string text, double expected) => Assert.Equal(expected, Parsers.Rate(text, "-R"));

    [Theory]
    [InlineData("25%", 0.25)]
    [InlineData("3 %", 0.03)]
    [InlineData("0.03", 0.03)]
    public void Shares_are_percent_or_fractions(string text, double expected) =>
        Assert.Equal(expected, Parsers.Percent(text, "--delta"), 9);

    [Theory]
    [InlineData("0%")]
    [InlineData("-5%")]
    [InlineData("2000%")]
    [InlineData("%")]
    public void An_invalid_share_is_rejected(string text) =>
        Assert.Equal($"--delta '{text}' is not a percentage such as 25%", Refused(() => Parsers.Percent(text, "--delta")));

    [Fact]
    public void Lists_with_gaps_or_repetitions_are_rejected()
    {
        Assert.Equal([10L, 1000L], Parsers.List("10,1k", "-s", Parsers.Count));
        Assert.Equal("-s '10,,1k' has an empty entry", Refused(() => Parsers.List("10,,1k", "-s", Parsers.Count)));
        Assert.Equal("-s '1000,1k' names the same value twice", Refused(() => Parsers.List("1000,1k", "-s", Parsers.Count)));
    }

    [Theory]
    [InlineData("0,2", "0,2")]
    [InlineData("1-3", "1-3")]
    public void A_set_of_existing_CPUs_is_accepted(string text, string expected) =>
        Assert.Equal(expected, Parsers.Cpus(text, "--client-cpus", CpuSet.From(0, 1, 2, 3)).ToString());

    [Theory]
    [InlineData("2-5", "--client-cpus 2-5: this process may not use CPU 4-5, only 0-3")]
    [InlineData("one", "--client-cpus: 'one' is not a CPU set: write numbers and ranges, as in 0-1,3")]
    public void The_error_of_a_missing_CPU_names_the_existing_CPUs(string text, string sentence) =>
        Assert.Equal(sentence, Refused(() => Parsers.Cpus(text, "--client-cpus", CpuSet.From(0, 1, 2, 3))));

    [Fact]
    public void A_CPU_set_on_a_system_without_affinity_is_a_usage_error() =>
        Assert.Equal(
            "--server-cpus: this system cannot tie a process to CPUs: leave out --server-cpus",
            Refused(() => Parsers.Cpus("0", "--server-cpus", null)));

    private static string Refused(Func<object> parse) => Assert.Throws<UsageException>(() => parse()).Message;
}
