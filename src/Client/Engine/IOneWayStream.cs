namespace IpcBench.Client.Engine;

/// <summary>A stream whose messages all go in one direction.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>
    /// Sets the due time that is written into the next message, in ns of this process's clock. 0 means that the latency of
    /// this message is not measured.
    /// </summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>Returns the receiver's report about the last ended stream, only once. Null when there is no new report.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>Sets the rate at which the server sends, for each stream that is opened after this call.</summary>
    /// <param name="perSecond">Messages per second. 0 means as fast as possible.</param>
    /// <param name="delayNs">The time from the opening of a stream until its first message is due, in ns.</param>
    void Pace(double perSecond, long delayNs)
    {
    }

    /// <summary>
    /// Returns the due time of the message that has just arrived, in ns of this process's clock. Null when the sender has another clock.
    /// </summary>
    long? DueNs(long nowNs) => null;
}
