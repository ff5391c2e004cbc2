namespace IpcBench.Client.Engine;

/// <summary>A stream whose messages all go in one direction.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>Sets the due time that is written into the next message, in ns of the clock. 0 means that no latency is measured.</summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>Takes the receiver's report about a stream that has ended. Null when no stream has ended since the last report.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>Sets the pace of the sender, for each stream that is opened after this call.</summary>
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
