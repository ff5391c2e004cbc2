using System.Globalization;

namespace IpcBench.Client.Terminal;

/// <summary>Writes durations for people.</summary>
internal static class LeftText
{
    /// <summary>Describes the time left, such as <c>about 2m 10s left</c>.</summary>
    public static string Describe(TimeSpan? left) => left switch
    {
        null => "time left is not known yet",
        { TotalSeconds: <= 1 } => "almost done",
        { } time => $"about {Span(time)} left",
    };

    /// <summary>Writes a duration, such as <c>2m 10s</c>, <c>45s</c> or <c>1h 5m</c>.</summary>
    public static string Span(TimeSpan time)
    {
        var whole = TimeSpan.FromSeconds(Math.Ceiling(time.TotalSeconds));
        return whole switch
        {
            { TotalHours: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{(int)whole.TotalHours}h {whole.Minutes}m"),
            { TotalMinutes: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{whole.Minutes}m {whole.Seconds}s"),
            _ => string.Create(CultureInfo.InvariantCulture, $"{whole.Seconds}s"),
        };
    }
}
