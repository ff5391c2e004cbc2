namespace IpcBench.Analysis.Measures;

/// <summary>One thing that is measured of a round: what it is called, how it is computed and shown, and which way is better.</summary>
/// <param name="Id">Stable name for scripts, columns and gates: <c>client_cpu</c>.</param>
/// <param name="Title">For people: <c>client CPU</c>.</param>
/// <param name="Unit">Of the value as computed: <see cref="Measures.Unit"/> makes text of it.</param>
/// <param name="Better">Which way is better.</param>
/// <param name="Value">The number; null when the round does not tell it.</param>
/// <param name="AtLeast">Whether the number is only a lower bound.</param>
public sealed record Metric(
    string Id, string Title, Unit Unit, Better Better, Func<RoundReading, double?> Value, Func<RoundReading, bool>? AtLeast = null)
{
    /// <summary>The value as text with its unit, – when there is none.</summary>
    public string Show(RoundReading reading) =>
        Value(reading) is { } value ? (AtLeast?.Invoke(reading) == true ? "≥ " : "") + Quantity.Show(value, Unit) : Quantity.None;
}
