namespace IpcBench.Client.Engine;

/// <summary>One period of load over open connections: its length and the schedule of its calls.</summary>
internal sealed record LoadWindow
{
    /// <summary>
    /// The least duration of the load before the window. This load makes the server busy before the window begins. Must be
    /// zero when <see cref="Calls"/> is set.
    /// </summary>
    public TimeSpan Lead { get; init; }

    /// <summary>
    /// Length of the window. Load continues after the window until all calls that were in flight at its end have ended.
    /// Null when only the number of <see cref="Calls"/> ends the window.
    /// </summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// The least length of the window, as a multiple of the median duration of the calls before the window. If calls are
    /// slow, the window is therefore longer than <see cref="Duration"/>. 0 means that the window is never longer.
    /// </summary>
    public int Medians { get; init; }

    /// <summary>
    /// The largest number of calls to start. <see cref="Duration"/> may end the window earlier. Null when only Duration ends
    /// the window.
    /// </summary>
    public long? Calls { get; init; }

    /// <summary>Calls per second over all streams in an open loop. Null in a closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>True when the gaps between the calls of an open loop are exponentially distributed. False when they are constant.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }

    /// <summary>
    /// True for every slice of a measurement except the first. Such a window skips the work that is done once per measurement, such
    /// as the check of a reply: this work would take a larger share of a short window.
    /// </summary>
    public bool IsContinued { get; init; }

    /// <summary>The direction of the messages, the same as in the options of the connections.</summary>
    public Flow Flow { get; init; }
}
