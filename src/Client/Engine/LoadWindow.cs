namespace IpcBench.Client.Engine;

/// <summary>One period of load over open connections: its length and the schedule of its calls.</summary>
internal sealed record LoadWindow
{
    /// <summary>
    /// The shortest time of load before the window. It makes the server busy before the window begins. Zero where
    /// <see cref="Calls"/> are counted.
    /// </summary>
    public TimeSpan Lead { get; init; }

    /// <summary>
    /// Length of the window. Load continues after the window until all calls that cross its end have ended. Null when
    /// only the number of <see cref="Calls"/> ends the window.
    /// </summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// If calls are slow, makes the window longer than <see cref="Duration"/>: this many times the median duration of
    /// the calls before the window. 0 means that the window is never longer.
    /// </summary>
    public int Medians { get; init; }

    /// <summary>The most calls that are started. <see cref="Duration"/> may end the window earlier. Null when time alone ends it.</summary>
    public long? Calls { get; init; }

    /// <summary>Calls per second over all streams in an open loop. Null in a closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>True when the gaps between the calls of an open loop are exponential. False when they are constant.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }

    /// <summary>
    /// True for every slice of a measurement except the first. Work that is done once per measurement, such as the
    /// check of a reply, is then skipped: this work would take a larger share of a short window.
    /// </summary>
    public bool IsContinued { get; init; }

    /// <summary>The direction of the messages, the same as in the options of the connections.</summary>
    public Flow Flow { get; init; }
}
