namespace IpcBench.Transports.Loop;

/// <summary>A timer of an <see cref="EventLoop"/>.</summary>
public interface ILoopTimer
{
    /// <summary>
    /// Called on the loop's thread, once for each <see cref="EventLoop.Schedule"/>. The method must not throw.
    /// </summary>
    void OnDue();
}
