using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>Waits for the other side to end a duplex, but not for ever.</summary>
internal sealed class EndWait : ILoopTimer
{
    private readonly TaskCompletionSource over = new();

    public Task Over => over.Task;

    public void OnDue() => over.TrySetResult();
}
