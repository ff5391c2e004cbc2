namespace IpcBench.Client.Plan;

/// <summary>The side that a <see cref="Knob"/> changes.</summary>
internal enum KnobSide
{
    Both,
    Client,

    /// <summary>The server only. The knob has no effect on a server of the user (<c>-U</c>).</summary>
    Server,
}
