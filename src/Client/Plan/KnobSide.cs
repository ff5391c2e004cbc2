namespace IpcBench.Client.Plan;

/// <summary>The side that a <see cref="Knob"/> changes. It decides whether the knob has a meaning with <c>-U</c>.</summary>
internal enum KnobSide
{
    Both,
    Client,

    /// <summary>The server only. The knob has no meaning for a server of the user.</summary>
    Server,
}
