using System.Globalization;

namespace IpcBench.Server.Faults;

/// <summary>
/// The test knobs as given: <c>VALUE</c> for every endpoint or <c>INDEX=VALUE</c> for one, counted from 0, every <c>--listen</c> before
/// every <c>--echo</c>.
/// </summary>
internal sealed record FaultOptions
{
    /// <summary>Microseconds of CPU burnt per call.</summary>
    public IReadOnlyList<string> SpinUs { get; init; } = [];

    /// <summary>Microseconds that each reply is held back.</summary>
    public IReadOnlyList<string> DelayUs { get; init; } = [];

    /// <summary>The <see cref="WrongAnswer"/> of each reply.</summary>
    public IReadOnlyList<string> Answers { get; init; } = [];

    /// <summary>What holds for the endpoint of this index.</summary>
    /// <exception cref="FormatException">A value is none; the message names it.</exception>
    public Fault For(int endpoint)
    {
        var (spin, delay) = (Microseconds(Pick(SpinUs, endpoint)), Microseconds(Pick(DelayUs, endpoint)));
        var answer = ParseAnswer(Pick(Answers, endpoint));
        return (spin, delay, answer) == (0, 0, WrongAnswer.None) ? Fault.None : new Fault(spin, delay, answer);
    }

    private static string? Pick(IReadOnlyList<string> values, int endpoint)
    {
        var own = endpoint.ToString(CultureInfo.InvariantCulture) + "=";
        return values.LastOrDefault(value => value.StartsWith(own, StringComparison.Ordinal))?[own.Length..]
            ?? values.LastOrDefault(value => !value.Contains('=', StringComparison.Ordinal));
    }

    private static long Microseconds(string? value)
    {
        if (value is null)
            return 0;
        const long oneMinute = 60_000_000;
        return long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var us) && us <= oneMinute
            ? us
            : throw new FormatException($"'{value}' is no number of microseconds: write 200 or 1=200");
    }

    private static WrongAnswer ParseAnswer(string? value) => value switch
    {
        null => WrongAnswer.None,
        "short" => WrongAnswer.Short,
        "status" => WrongAnswer.Status,
        _ => throw new FormatException($"'{value}' is no fault: write short or status"),
    };
}
