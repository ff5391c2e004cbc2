using System.Runtime.CompilerServices;

namespace IpcBench.Server.Services;

/// <summary>
/// Lets other work of the thread pool run. Code that writes in an endless loop awaits a FairTurn from time to time.
/// Otherwise the loop would never free its thread: a write to a cancelled stream never waits, and the cancellation
/// needs a free thread to take effect. Without FairTurn, a few hundred such loops kept all threads busy for minutes.
/// </summary>
internal readonly struct FairTurn : INotifyCompletion
{
    public bool IsCompleted => false;

    public FairTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    // Task.Yield is not used: it queues to the thread's own queue, which the thread empties before the global queue.
    public void OnCompleted(Action continuation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static next => next(), continuation, preferLocal: false);
}
