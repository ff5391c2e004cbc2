namespace IpcBench.Client.Engine;

/// <summary>Whether one more call may start.</summary>
internal interface IStopRule
{
    /// <summary>Claims a start. From any thread.</summary>
    /// <param name="intendedNs">When it should start.</param>
    /// <param name="nowNs">Now; later than intended when the streams were busy.</param>
    bool MayStart(long intendedNs, long nowNs);
}
