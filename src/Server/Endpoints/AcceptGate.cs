namespace IpcBench.Server.Endpoints;

/// <summary>Holds how many accepted connections there may be at a time, over all listeners. Others wait in the system's queue.</summary>
internal sealed class AcceptGate(int most) : IDisposable
{
    private readonly SemaphoreSlim _free = new(most);

    public Task EnterAsync(CancellationToken cancellation) => _free.WaitAsync(cancellation);

    public void Leave() => _free.Release();

    public void Dispose() => _free.Dispose();
}
