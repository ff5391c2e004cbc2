using System.Globalization;
using IpcBench.Host;

namespace IpcBench.Server.Behaviors;

/// <summary>
/// The values of the option <c>--work</c> and of the options for tests. A value is <c>VALUE</c> for every endpoint, or
/// <c>INDEX=VALUE</c> for one endpoint. The index counts from 0: first all endpoints of <c>--listen</c>, then all
/// endpoints of <c>--echo</c>.
/// </summary>
internal sealed record EndpointBehaviorOptions
{
    private const double OneMinute = 60e9;

    /// <summary>CPU time that each call computes, for example <c>30us</c>.</summary>
    public IReadOnlyList<string> Work { get; init; } = [];

    /// <summary>How long a delayed reply waits, in µs.</summary>
    public IReadOnlyList<string> DelayUs { get; init; } = [];

    /// <summary>One of this many calls is delayed: 10 delays every tenth call, 1 delays all calls.</summary>
    public IReadOnlyList<string> DelayEvery { get; init; } = [];

    /// <summary>The fault of each reply, <c>short</c> or <c>status</c> (<see cref="WrongAnswer"/>).</summary>
    public IReadOnlyList<string> Answers { get; init; } = [];

    /// <summary>Lists each option by its name, with its values.</summary>
    public IEnumerable<(string Name, IReadOnlyList<string> Values)> Given =>
        [("work", Work), ("delay-us", DelayUs), ("delay-every", DelayEvery), ("fault", Answers)];

    /// <summary>Checks that each value with an index is about one of the server's endpoints.</summary>
    /// <exception cref="FormatException">The server has no endpoint with the index. The message names the value.</exception>
    public void Check(int endpoints)
    {
        foreach (var (name, values) in Given)
        {
            if (values.FirstOrDefault(value => value.Split('=') is [var index, _, ..] && !IsIndex(index, endpoints)) is { } wrong)
                throw new FormatException($"--{name} '{wrong}': there is no endpoint {wrong.Split('=')[0]}; the first endpoint is 0");
        }
    }

    private static bool IsIndex(string text, int endpoints) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var index) && index < endpoints
            && index.ToString(CultureInfo.InvariantCulture) == text;

    /// <summary>Returns the behavior of the endpoint with this index.</summary>
    /// <exception cref="FormatException">A value is invalid. The message names the value.</exception>
    public EndpointBehavior For(int endpoint)
    {
        var (work, delay) = (Nanoseconds(Pick(Work, endpoint)), Microseconds(Pick(DelayUs, endpoint)));
        var answer = ParseAnswer(Pick(Answers, endpoint));
        var every = Pick(DelayEvery, endpoint) is { } text ? Number(text, OneMinute) : 1;
        return (work, delay, answer) == (0, 0, WrongAnswer.None) ? EndpointBehavior.None
            : new EndpointBehavior(work, delay, answer, Math.Max(1, every));
    }

    private static string? Pick(IReadOnlyList<string> values, int endpoint)
    {
        var own = endpoint.ToString(CultureInfo.InvariantCulture) + "=";
        return values.LastOrDefault(value => value.StartsWith(own, StringComparison.Ordinal))?[own.Length..]
            ?? values.LastOrDefault(value => !value.Contains('=', StringComparison.Ordinal));
    }

    private static long Nanoseconds(string? value)
    {
        if (value is null or "0")
            return 0;
        // A number without a unit is rejected. Units.Seconds would read the number as seconds, but the user could mean
        // µs.
        if (value is [.., not (>= '0' and <= '9')] && Units.Seconds(value) * 1e9 is { } ns and <= OneMinute)
            return (long)Math.Round(ns);
        throw new FormatException(
            $"'{value}' is not a time of at most 1m for --work: write 30us, 1.5ms or, for the second endpoint alone, 1=30us");
    }

    private static long Microseconds(string? value)
    {
        return value is null ? 0 : Number(value, OneMinute / 1_000, " of microseconds");
    }

    private static long Number(string value, double most, string what = "") =>
        long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number <= most
            ? number
            : throw new FormatException($"'{value}' is not a number{what}: write 200 or, for the second endpoint alone, 1=200");

    private static WrongAnswer ParseAnswer(string? value) => value switch
    {
        null => WrongAnswer.None,
        "short" => WrongAnswer.Short,
        "status" => WrongAnswer.Status,
        _ => throw new FormatException($"'{value}' is unknown: write short or status"),
    };
}
