namespace IpcBench.Transports.Loop;

/// <summary>Something an <see cref="EventLoop"/> calls when its time has come.</summary>
public interface ILoopTimer
{
    /// <summary>Called on the loop's thread, once for each time it was scheduled; must not throw.</summary>
    void OnDue();
}
